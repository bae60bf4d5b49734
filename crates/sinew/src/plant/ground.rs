//! What feet stand on.

use glam::DVec3;

/// A point of the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundHit {
    /// World height, metres.
    pub height: f64,
    /// Direction away from the ground, of length 1.
    pub normal: DVec3,
}

/// The ground, as something that can be asked how high it is. A game asks its own collision here.
pub trait Ground {
    /// The ground straight below or above a point in world space; `None` where there is none. Should not jump
    /// within a step of a foot: what is planted follows it.
    fn cast(&self, at_ws: DVec3) -> Option<GroundHit>;
}

/// Level ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlatGround {
    /// World height, metres.
    pub height: f64,
}

impl Ground for FlatGround {
    fn cast(&self, _: DVec3) -> Option<GroundHit> {
        Some(GroundHit { height: self.height, normal: DVec3::Y })
    }
}

/// Heights on an even grid, bilinear between: hills without overhangs. There is no ground outside the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    corner: [f64; 2],
    spacing: f64,
    columns: usize,
    heights: Vec<f32>,
}

/// Why heights are no ground.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum HeightFieldError {
    /// A grid needs two rows of two points.
    #[error("{heights} heights in rows of {columns}, expected two full rows or more of two or more")]
    Grid {
        /// Heights there are.
        heights: usize,
        /// Heights a row.
        columns: usize,
    },
    /// A height, the corner or the spacing is not finite, or the spacing not above 0.
    #[error("{what} is {value}")]
    Value {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

impl HeightField {
    /// Heights in metres, `[row][column]`: columns go along +X and rows along +Z from the corner (x, z),
    /// `spacing` metres apart.
    ///
    /// # Errors
    /// [`HeightFieldError`] where they make no grid.
    pub fn new(
        corner: [f64; 2],
        spacing: f64,
        columns: usize,
        heights: Vec<f32>,
    ) -> Result<Self, HeightFieldError> {
        if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
            return Err(HeightFieldError::Grid { heights: heights.len(), columns });
        }
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(HeightFieldError::Value { what: "the spacing", value: spacing });
        }
        let heights_64 = heights.iter().map(|h| f64::from(*h));
        if let Some(value) = corner.into_iter().chain(heights_64).find(|v| !v.is_finite()) {
            return Err(HeightFieldError::Value { what: "a height or the corner", value });
        }
        Ok(Self { corner, spacing, columns, heights })
    }

    fn height(&self, row: usize, column: usize) -> f64 {
        f64::from(self.heights[row * self.columns + column])
    }
}

impl Ground for HeightField {
    fn cast(&self, at_ws: DVec3) -> Option<GroundHit> {
        let rows = self.heights.len() / self.columns;
        let (x, z) = ((at_ws.x - self.corner[0]) / self.spacing, (at_ws.z - self.corner[1]) / self.spacing);
        // NaN is outside.
        if !(x >= 0.0 && z >= 0.0 && x <= (self.columns - 1) as f64 && z <= (rows - 1) as f64) {
            return None;
        }
        let (column, row) = ((x as usize).min(self.columns - 2), (z as usize).min(rows - 2));
        let (u, v) = (x - column as f64, z - row as f64);
        let (a, b) = (self.height(row, column), self.height(row, column + 1));
        let (c, d) = (self.height(row + 1, column), self.height(row + 1, column + 1));
        let height = (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v;
        let along_x = ((b - a) * (1.0 - v) + (d - c) * v) / self.spacing;
        let along_z = ((c - a) * (1.0 - u) + (d - b) * u) / self.spacing;
        Some(GroundHit { height, normal: DVec3::new(-along_x, 1.0, -along_z).normalize() })
    }
}
