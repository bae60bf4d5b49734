//! Events fire exactly once over any stepping: `extra/event-vectors.json`.

use serde_json::Value;
use sinew::{Event, EventTrack, Playback};

#[test]
fn events_fire_as_the_vectors_say() {
    let Some(folder) = crate::cases_folder() else {
        println!("neither SINEW_CASES nor SINEW_SHARED is set: no event vectors to check");
        return;
    };
    let path = folder.join("extra/event-vectors.json");
    if !path.is_file() {
        println!("{} is not there: no event vectors to check", path.display());
        return;
    }
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let events: Vec<Event> = vectors["events"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, time)| Event { name: name.clone(), time: time.as_f64().unwrap() })
        .collect();
    let track = EventTrack::new(events, vectors["clip_seconds"].as_f64().unwrap(), Playback::Loop).unwrap();
    for vector in vectors["vectors"].as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let steps: Vec<f64> = match vector["steps"].as_array() {
            Some(steps) => steps.iter().map(|s| s.as_f64().unwrap()).collect(),
            None => {
                let (dt, n) =
                    (vector["steps"]["dt"].as_f64().unwrap(), vector["steps"]["n"].as_u64().unwrap());
                vec![dt; n as usize]
            }
        };
        let mut fired = vec![0_u64; track.events().len()];
        let mut now = vector["start_time"].as_f64().unwrap();
        for step in steps {
            let next = now + step;
            track.step(now, next, |f| fired[f.event] += 1);
            now = next;
        }
        assert!((now - vector["end_time_unwrapped"].as_f64().unwrap()).abs() < 1e-5, "{name} ends at {now}");
        for (event, count) in track.events().iter().zip(fired) {
            assert_eq!(Some(count), vector["fires"][&event.name].as_u64(), "{name}: {}", event.name);
        }
    }
}
