//! The legs of a character, as planting needs them.

use glam::DVec3;

use super::PlantError;
use crate::{Rig, Slot};

/// A point of a foot that touches the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantContact {
    /// What carries it: the foot (the loose one where there is one), or a joint below.
    pub joint: Slot,
    /// Where, in that joint's space, metres.
    pub offset_ls: DVec3,
    /// Its height in model space where the foot stands on level ground, metres: of a sole near 0, of a joint
    /// inside the foot its distance to the ground.
    pub height: f64,
}

/// One leg. There may be more joints between the three; each part moves as one piece.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantLeg {
    /// The upper end of the leg, which turns.
    pub hip: Slot,
    /// The joint that bends: a knee, or of a leg with several the one farthest from the line between hip and
    /// foot.
    pub knee: Slot,
    /// The end of the leg: the joint that carries the foot, or of a leg without its foot its last joint.
    /// Keeps its rotation, but for the tilt of the ground.
    pub foot: Slot,
    /// A foot that does not hang from the leg but from something else, as where feet are steered from the
    /// ground; it is moved along with the leg's end.
    pub loose_foot: Option<Slot>,
    /// Axis in the knee's space about which a straight leg bends, of any length above 0: the lower part folds
    /// by a negative angle. Of a leg that is bent already the pose says so itself.
    pub hinge_ls: DVec3,
    /// Points that touch the ground.
    pub contacts: Vec<PlantContact>,
}

/// Legs and pelvis of a rig, checked once.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantRig {
    pub(crate) joints: usize,
    pub(crate) pelvis: Slot,
    pub(crate) legs: Vec<PlantLeg>,
    /// All joints that a leg or a contact hangs from, and themselves; parents first.
    pub(crate) needed: Vec<Slot>,
}

impl PlantRig {
    /// Legs that hang from a pelvis. The pelvis is what is lowered: usually the joint that carries the whole
    /// body.
    ///
    /// # Errors
    /// [`PlantError`] names the joint that is not there, does not hang where it should, or cannot be turned.
    pub fn new(rig: &Rig, pelvis: Slot, legs: Vec<PlantLeg>) -> Result<Self, PlantError> {
        let joints = rig.len();
        let exists = |what: &'static str, slot: Slot| {
            if slot.index() < joints { Ok(()) } else { Err(PlantError::NoJoint { what, slot, joints }) }
        };
        let below = |slot: Slot, above: Slot| {
            let mut walk = Some(slot);
            while let Some(here) = walk {
                walk = rig.parents()[here.index()];
                if walk == Some(above) {
                    return true;
                }
            }
            false
        };
        exists("the pelvis", pelvis)?;
        if legs.is_empty() {
            return Err(PlantError::NoLegs);
        }
        let mut is_needed = vec![false; joints];
        is_needed[pelvis.index()] = true;
        for (number, leg) in legs.iter().enumerate() {
            exists("the hip", leg.hip)?;
            exists("the knee", leg.knee)?;
            exists("the foot", leg.foot)?;
            let hangs = |what: &'static str, slot: Slot, above: Slot| {
                let fault = PlantError::NotBelow { what, leg: number, slot, above };
                if below(slot, above) { Ok(()) } else { Err(fault) }
            };
            if leg.hip != pelvis {
                hangs("the hip", leg.hip, pelvis)?;
            }
            hangs("the knee", leg.knee, leg.hip)?;
            hangs("the foot", leg.foot, leg.knee)?;
            if leg.contacts.is_empty() {
                return Err(PlantError::NoContacts { leg: number });
            }
            if !leg.hinge_ls.is_finite() || leg.hinge_ls.length() < 1e-9 {
                return Err(PlantError::NotFinite { what: "the direction of a hinge" });
            }
            is_needed[leg.foot.index()] = true;
            let carrier = leg.loose_foot.unwrap_or(leg.foot);
            if let Some(foot) = leg.loose_foot {
                exists("the loose foot", foot)?;
                // One below the pelvis would be lowered as well as moved.
                if foot == pelvis || below(foot, pelvis) {
                    return Err(PlantError::NotLoose { leg: number, slot: foot, pelvis });
                }
            }
            for contact in &leg.contacts {
                exists("a contact's joint", contact.joint)?;
                if contact.joint != carrier {
                    hangs("a contact", contact.joint, carrier)?;
                }
                if !(contact.offset_ls.is_finite() && contact.height.is_finite()) {
                    return Err(PlantError::NotFinite { what: "a contact" });
                }
                is_needed[contact.joint.index()] = true;
            }
        }
        for slot in (0..joints).rev() {
            if let (true, Some(parent)) = (is_needed[slot], rig.parents()[slot]) {
                is_needed[parent.index()] = true;
            }
        }
        let needed: Vec<Slot> = (0..joints).filter(|s| is_needed[*s]).map(|s| Slot(s as u16)).collect();
        if let Some((slot, _)) = rig.fixed().iter().find(|(slot, _)| is_needed[slot.index()]) {
            return Err(PlantError::Fixed { slot: *slot });
        }
        Ok(Self { joints, pelvis, legs, needed })
    }

    /// The legs.
    #[must_use]
    pub fn legs(&self) -> &[PlantLeg] {
        &self.legs
    }
}
