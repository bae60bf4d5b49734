//! The report page: one HTML file that opens from disk with no network and shows what was found, as
//! tables, as curves, and on the moving character itself.
//!
//! Fill a [`Page`] and call [`render`]:
//!
//! ```
//! use sinew_cli::report::{Fact, Page, render};
//!
//! let mut page = Page::new("fox.glb", "1 character, 3 clips, nothing found");
//! page.facts.push(Fact::new("joints", "24"));
//! let html = render(&page).expect("a page of plain text renders");
//! assert!(html.starts_with("<!doctype html>"));
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | `page` | [`Page`] and the rows in it |
//! | `scene` | [`PlayerScene`]: a character and its clips as the player wants them |
//! | `audited` | from audits to a [`Page`] |
//! | `build` | from a loaded document to a [`PlayerScene`] |
//! | `svg`, `ticks` | drawing a [`sinew_audit::plot::Plot`] |
//! | `payload` | the JSON block that the page's script reads |
//! | `text` | names and numbers made safe and short to print |
//! | `render` | the template |
//!
//! The page's own HTML, CSS and JavaScript are in `page/` at the root of this crate, one file a concern.

mod audited;
mod build;
mod page;
mod payload;
mod render;
mod scene;
mod svg;
mod text;
mod ticks;

pub use audited::Audited;
pub use build::SceneOptions;
pub use page::{Cell, Fact, FindingRow, Layout, Page, PagePlot, Section, Table};
pub use render::{RenderError, render};
pub use scene::{
    Affine, IDENTITY, PartColours, PlayerScene, SceneClip, SceneInstance, SceneJoint, SceneMesh,
    ScenePrimitive, SceneSkin,
};
pub use text::{inert, measure, printable};
