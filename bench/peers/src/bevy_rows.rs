//! `bevy_animation` on the same joints and clips: a headless application whose clock moves by hand, one entity
//! a joint as Bevy's glTF loader makes them, every system on the calling thread.

use std::rc::Rc;
use std::time::{Duration, Instant};

use bevy_animation::graph::{AnimationGraph, AnimationGraphHandle, AnimationNodeIndex};
use bevy_animation::{AnimatedBy, AnimationClip, AnimationPlayer, AnimationPlugin};
use bevy_app::{AnimationSystems, App, PluginsState, PostUpdate, TaskPoolOptions, TaskPoolPlugin};
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::{GlobalTransform, Transform};
use bevy_transform::{TransformPlugin, TransformSystems};
use sinew::DTransform;

use crate::bevy_clip::{bevy_clip, target};
use crate::character::{Character, WEIGHTS};
use crate::measure::Lane;
use crate::{CROWD, STEP};

/// Above this share of a character's size, Bevy would not be doing the same work. It computes in single
/// precision and interpolates nearly equal rotations by a straight line.
const LIMIT: f64 = 1e-4;

/// How playing time goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// A sixtieth of a second a batch.
    Forward,
    /// Anywhere, each batch.
    Random,
}

/// When the animation systems start, when they end, when transforms are propagated.
#[derive(Resource, Default)]
struct Stamps([Option<Instant>; 3]);

/// One character in the world.
struct Puppet {
    player: Entity,
    /// `[joint]`
    joints: Vec<Entity>,
}

/// An application that plays the first `nodes.len()` clips of a character on each of its puppets.
struct Stage {
    app: App,
    character: Rc<Character>,
    puppets: Vec<Puppet>,
    nodes: Vec<AnimationNodeIndex>,
    frame: usize,
}

/// All of Bevy's lanes for a character.
///
/// # Errors
/// Where what Bevy poses is not what the clips say.
pub(crate) fn lanes(character: &Rc<Character>) -> Result<Vec<Lane>, String> {
    // One character stays in the fastest caches, a crowd of entities does not.
    let kinds = [
        (1, 1, Order::Forward),
        (1, 2, Order::Forward),
        (CROWD, 1, Order::Forward),
        (CROWD, 1, Order::Random),
        (CROWD, 2, Order::Forward),
    ];
    kinds.into_iter().map(|(count, clips, order)| lane(character, count, clips, order)).collect()
}

fn lane(character: &Rc<Character>, count: usize, clips: usize, order: Order) -> Result<Lane, String> {
    let mut stage = Stage::new(Rc::clone(character), count, clips)?;
    // Graphs are made ready by messages that take a frame to arrive.
    for _ in 0..3 {
        stage.app.update();
    }
    let mut worst = 0.0_f64;
    for _ in 0..40 {
        stage.advance(order);
        stage.app.update();
        worst = worst.max(stage.check()?);
    }
    let kind = match (clips, order) {
        (1, Order::Forward) => "1 clip".to_owned(),
        (1, Order::Random) => "1 clip, random times".to_owned(),
        _ => format!("{clips} clips blended"),
    };
    let what = ["app.update()", "animation systems", "transform propagation"];
    let stage = Rc::new(std::cell::RefCell::new(stage));
    let checked = Rc::clone(&stage);
    Ok(Lane {
        peer: "bevy_animation",
        version: version(),
        play: character.play(count),
        what: what.iter().map(|what| format!("{what}, {kind}")).collect(),
        max_difference: Some(worst),
        batch: Box::new(move |took| stage.borrow_mut().batch(order, took)),
        check: Box::new(move || checked.borrow_mut().check().map(|_| ())),
    })
}

impl Stage {
    fn new(character: Rc<Character>, count: usize, clips: usize) -> Result<Self, String> {
        let mut app = App::new();
        let pools = TaskPoolPlugin { task_pool_options: TaskPoolOptions::with_num_threads(1) };
        app.add_plugins((pools, TimePlugin, AssetPlugin::default(), TransformPlugin, AnimationPlugin));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(STEP)));
        app.init_resource::<Stamps>();
        let stamp = |at: usize| move |mut stamps: ResMut<'_, Stamps>| stamps.0[at] = Some(Instant::now());
        app.add_systems(
            PostUpdate,
            (
                stamp(0).before(AnimationSystems),
                stamp(1).after(AnimationSystems).before(TransformSystems::Propagate),
                stamp(2).after(TransformSystems::Propagate),
            ),
        );
        while app.plugins_state() == PluginsState::Adding {}
        app.finish();
        app.cleanup();

        let (mut graph, mut nodes) = (AnimationGraph::new(), Vec::new());
        for (clip, weight) in character.clips[..clips].iter().zip(WEIGHTS) {
            let handle = app.world_mut().resource_mut::<Assets<AnimationClip>>().add(bevy_clip(clip)?);
            // One clip alone has the whole weight.
            let weight = if clips == 1 { 1.0 } else { weight };
            nodes.push(graph.add_clip(handle, weight as f32, graph.root));
        }
        let graph = app.world_mut().resource_mut::<Assets<AnimationGraph>>().add(graph);
        let puppets = (0..count)
            .map(|index| {
                let mut player = AnimationPlayer::default();
                for (clip, node) in nodes.iter().enumerate() {
                    let phase = character.phase(clip, index, count);
                    player.play(*node).repeat().set_seek_time(phase as f32);
                }
                spawn(app.world_mut(), &character, player, AnimationGraphHandle(graph.clone()))
            })
            .collect();
        Ok(Self { app, character, puppets, nodes, frame: 0 })
    }

    /// Times of the next batch, where they do not come by themselves.
    fn advance(&mut self, order: Order) {
        self.frame += 1;
        if order == Order::Forward {
            return;
        }
        for (index, puppet) in self.puppets.iter().enumerate() {
            let Some(mut player) = self.app.world_mut().get_mut::<AnimationPlayer>(puppet.player) else {
                continue;
            };
            for (clip, node) in self.nodes.iter().enumerate() {
                // Multiples of the golden ratio fill an interval evenly and in no order.
                let share =
                    ((self.frame * self.puppets.len() + index) as f64 * 0.618_033_988_749_895).fract();
                let time = (share * self.character.clips[clip].duration()) as f32;
                if let Some(active) = player.animation_mut(*node) {
                    active.set_seek_time(time);
                }
            }
        }
    }

    fn batch(&mut self, order: Order, took: &mut Vec<Duration>) {
        self.advance(order);
        let start = Instant::now();
        self.app.update();
        took.push(start.elapsed());
        if let [Some(start), Some(posed), Some(done)] = self.app.world().resource::<Stamps>().0 {
            took.extend([posed - start, done - posed]);
        }
    }

    /// Largest distance of the last frame from the exact pose at the times that the players stand at.
    fn check(&mut self) -> Result<f64, String> {
        let (world, character) = (self.app.world(), &self.character);
        let mut worst = 0.0_f64;
        for puppet in &self.puppets {
            let player = world.get::<AnimationPlayer>(puppet.player).ok_or("a player is gone")?;
            let time = |node: &AnimationNodeIndex| player.animation(*node).map(|a| a.seek_time().into());
            let times: Vec<f64> = self.nodes.iter().filter_map(time).collect();
            if times.len() != self.nodes.len() {
                return Err(format!("{}: Bevy plays {} clips", character.clip, times.len()));
            }
            let matrix = |&joint| world.get::<GlobalTransform>(joint).map(|g| g.to_matrix().as_dmat4());
            let posed: Vec<_> = puppet.joints.iter().filter_map(matrix).collect();
            let difference = character.difference(&posed, &character.exact(&times));
            let complete = posed.len() == character.skeleton.len();
            // A NaN is not within the limit.
            if !(complete && difference <= LIMIT) {
                let clip = &character.clip;
                return Err(format!("{clip}: Bevy is off by {difference:.2e} of its size at {times:?} s"));
            }
            worst = worst.max(difference);
        }
        Ok(worst)
    }
}

fn spawn(
    world: &mut World,
    character: &Character,
    player: AnimationPlayer,
    graph: AnimationGraphHandle,
) -> Puppet {
    let player = world.spawn((Transform::IDENTITY, player, graph)).id();
    let mut joints: Vec<Entity> = Vec::new();
    for (index, joint) in character.skeleton.joints().iter().enumerate() {
        let parent = joint.parent.map_or(player, |parent| joints[parent.index()]);
        let parts = (transform(&joint.rest), target(index), AnimatedBy(player), ChildOf(parent));
        joints.push(world.spawn(parts).id());
    }
    Puppet { player, joints }
}

fn transform(rest: &DTransform) -> Transform {
    Transform {
        translation: rest.translation.as_vec3(),
        rotation: rest.rotation.as_quat(),
        scale: rest.scale.as_vec3(),
    }
}

/// As locked.
fn version() -> String {
    let lock = include_str!("../Cargo.lock");
    let (_, after) = lock.split_once("name = \"bevy_animation\"\nversion = \"").unwrap_or_default();
    after.split('"').next().unwrap_or_default().to_owned()
}
