//! Shows a character file on a page, in the colours of its materials and without an audit.
//!
//! `cargo run -p sinew-cli --example character_page -- page.html robot.glb`

use sinew_asset::{ReadOptions, load};
use sinew_cli::report::{Page, PlayerScene, SceneOptions, render};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(page_path), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: character_page PAGE.html FILE".into());
    };
    let loaded = load(&file, &ReadOptions::default())?;
    let options = SceneOptions { material_colours: true, ..SceneOptions::default() };
    let mut page = Page::new(loaded.document.name.clone(), "");
    page.players.push(PlayerScene::build(&loaded.document, &options));
    std::fs::write(page_path, render(&page)?)?;
    Ok(())
}
