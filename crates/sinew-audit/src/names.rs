//! What names of clips and joints tell.

/// Words of clips that are meant to loop.
pub(crate) const LOOP_WORDS: &str = "idle walk walking run running jog jogging sprint sprinting loop looping \
    cycle trot gallop canter crawl crawling sneak sneaking strafe swim swimming fly flying hover hovering \
    float floating breathe breathing move locomotion";

/// Words of ways to move over the ground.
pub(crate) const GAIT_WORDS: &str = "walk walking run running jog jogging sprint sprinting trot gallop canter \
    crawl crawling sneak sneaking strafe locomotion move";

/// Words of clips that play once.
pub(crate) const ONE_SHOT_WORDS: &str = "attack death die dead hit hurt damage jump land landing start stop \
    begin end enter exit to from punch kick slash stab chop slice bite shoot shot fire reload throw cast pickup \
    pick interact use open close sit stand lie getup up down turn dodge roll block react impact fall falling \
    spawn death wave yes no bark howl roar fetch pose transition";

/// Words of clips whose character does not stand on its feet.
pub(crate) const OFF_FEET_WORDS: &str = "lie lying sit sitting death die dead dying fall falling swim swimming \
    fly flying crawl crawling climb climbing getup roll spawn knockdown knocked ragdoll";

/// Splits a name where people do: at signs, at digits and where small letters turn to capitals. Lower case.
#[must_use]
pub(crate) fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|b| chars[b]);
        let after = chars.get(i + 1);
        let breaks = match before {
            Some(b) if b.is_ascii_digit() != c.is_ascii_digit() => true,
            Some(b) if c.is_uppercase() => {
                b.is_lowercase() || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            }
            Some(_) => false,
            None => false,
        };
        if (breaks || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(core::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether one of the words is in the name.
#[must_use]
pub(crate) fn has_word(name: &str, list: &[String]) -> bool {
    words(name).iter().any(|w| list.contains(w))
}

/// Left or right, as far as a name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// The side a joint is on, by its name.
#[must_use]
pub(crate) fn side(name: &str) -> Option<Side> {
    words(name).iter().find_map(|w| match w.as_str() {
        "l" | "left" | "lt" | "lft" => Some(Side::Left),
        "r" | "right" | "rt" | "rgt" => Some(Side::Right),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_common_rig_fall_into_words() {
        let cases = [
            ("mixamorig:LeftToeBase", "mixamorig left toe base"),
            ("b_RightFoot02_018", "b right foot 02 018"),
            ("Bip01LToe0Nub", "bip 01 l toe 0 nub"),
            ("foot.l", "foot l"),
            ("FootL", "foot l"),
            ("DEF-foot.L.001", "def foot l 001"),
            ("Front_Leg_Foot_L", "front leg foot l"),
            ("RIGHT_ANKLE", "right ankle"),
            ("", ""),
        ];
        for (name, expected) in cases {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn sides_are_told_in_either_way_of_naming() {
        assert_eq!(side("mixamorig:LeftFoot"), Some(Side::Left));
        assert_eq!(side("Bip01 R Foot"), Some(Side::Right));
        assert_eq!(side("ball_r"), Some(Side::Right));
        assert_eq!(side("Tail"), None);
    }
}
