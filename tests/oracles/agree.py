#!/usr/bin/env python3
"""Every file of the shared data folder gives the poses that independent evaluators give.

For each clip: all key times and 23 times between, `sinew sample` against the numpy evaluator written from
the glTF 2.0 text (joints and skinned vertices, within 1e-6 of the model's size), and against three.js at
the 23 times where that evaluator follows the specification. BVH files frame by frame against the BVH
evaluator. Files that cannot be read must be refused in the right words.

    SINEW_SHARED=... python3 tests/oracles/agree.py target/release/sinew [--three NODE_FOLDER] [FILE ...]
"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

LIMIT = 1e-6          # of the model's size, against the numpy evaluator
THREE_LIMIT = 2e-6    # three.js stores positions as float32 and multiplies in doubles
THREE_QUANTISED = 4e-5  # quantised ranges differ by 4 mm in 160 m, for a reason nobody has found
BETWEEN = 23
ROUNDED = 0.5e-9 * 3 ** 0.5

# Where three.js does not do what the specification says (see the evaluators' README), with the reason.
THREE_DIFFERS = {
    'simple_skin/SimpleSkin.gltf': 'non-unit rotation keys are used as stored',
    'assimp_gltf/simple_skin/simple_skin.gltf': 'non-unit rotation keys are used as stored',
    'unassigned_skeleton/unassigned-skeleton.gltf': 'the loader does not come back',
}
REFUSED = {'.fbx': 'FBX'}


def run(sinew, *arguments):
    return subprocess.run([sinew, *map(str, arguments)], capture_output=True, text=True)


def sample(sinew, path, clip, times, skin):
    """Frames of `sinew sample` at the given times."""
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        arguments = ['sample', path, '--out', out.name]
        seconds = '--times=' + ','.join(repr(float(t)) for t in times)
        arguments += ['--rest'] if clip is None else ['--clip', str(clip), seconds]
        arguments += ['--skin'] if skin else []
        done = run(sinew, *arguments)
        if done.returncode != 0:
            raise AssertionError(f'sinew exits {done.returncode}: {done.stderr.strip()}')
        frames = json.load(open(out.name))
        if clip is None:  # one rest pose, whatever the time
            frames['frames'] *= len(times)
        assert len(frames['frames']) == len(times), f"{len(frames['frames'])} frames, expected {len(times)}"
        return frames


def largest(a, b):
    """The larger of two disagreements; what is no number is as large as can be."""
    return max(a, b) if a == a and b == b else float('inf')


def spread(np, points):
    points = np.asarray(points).reshape(-1, 3)
    return max(float(np.linalg.norm(points.max(0) - points.min(0))), 1e-9) if len(points) else 1e-9


def key_times(g, animation):
    times = sorted({float(t) for s in animation['samplers'] for t in g.acc(s['input'])[:, 0]})
    return times


def between(times):
    last = times[-1] if times else 0.0
    return [last * (k + 0.37) / BETWEEN for k in range(BETWEEN)] + [-0.1, last + 0.5]


def check_gltf(np, oracle, sinew, path, shared, three):
    """Largest disagreement in parts of the model's size: (joints, vertices, three.js joints, frames)."""
    try:
        g = oracle.G(str(path))
    except SystemExit as refused:
        # The numpy evaluator does not decompress; three.js does, and is all there is to compare with.
        g = None if 'EXT_meshopt_compression' in str(refused) and three else sys.exit(str(refused))
    listing = json.loads(run(sinew, 'inspect', path, '--format', 'json').stdout)
    worst = [0.0, 0.0, 0.0, 0]
    clips = [c['index'] for c in listing['clips']] or [None]
    for clip in clips:
        if g is None:
            times = between([listing['clips'][clip]['duration']])
        else:
            keys = key_times(g, g.j['animations'][clip]) if clip is not None else [0.0]
            times = keys + between(keys)
        skin = g is not None and any('skin' in n or 'mesh' in n for n in g.j['nodes'])
        ours = sample(sinew, path, clip, times, False)
        # Vertices at a few times: the skinning is the same at each.
        few = times[:1] + times[len(times) // 2:len(times) // 2 + 1] + times[-3:]
        skinned = sample(sinew, path, clip, few, True) if skin else {'frames': []}
        if g is not None:
            truth = [oracle.pose(g, clip, t) for t in times]
            size = spread(np, [m[:3, 3] for world, _ in truth for m in world])
            for (world, _), frame in zip(truth, ours['frames']):
                for node, m in enumerate(world):
                    mine = np.array(frame['nodes'][str(node)]).reshape(4, 4).T
                    worst[0] = largest(worst[0], float(np.linalg.norm(m[:3, 3] - mine[:3, 3])) / size)
                    linear = float(np.abs(m[:3, :3] - mine[:3, :3]).max()) / max(1.0, float(np.abs(m[:3, :3]).max()))
                    worst[0] = largest(worst[0], linear)
            for t, frame in zip(few, skinned['frames']):
                expected = oracle.skinned(g, *oracle.pose(g, clip, t))
                mine = {(s['node'], s['mesh'], s['primitive']): s['positions'] for s in frame['skinned']}
                for s in expected:
                    a, b = np.array(s['positions']), np.array(mine[s['node'], s['mesh'], s['primitive']])
                    assert a.shape == b.shape, f'{a.shape} vertices, sinew has {b.shape}'
                    if len(a):
                        # The evaluator rounds vertices to 9 decimals, which is much for a model of a millimetre.
                        apart = float(np.linalg.norm(a - b, axis=1).max()) - ROUNDED
                        worst[1] = largest(worst[1], apart / max(size, spread(np, a)))
        if three and str(path.relative_to(shared / 'data')) not in THREE_DIFFERS:
            worst[2] = largest(worst[2], against_three(np, sinew, path, clip, times, three))
        worst[3] += len(times)
    return worst


def against_three(np, sinew, path, clip, times, three):
    times = [t for t in times[-BETWEEN - 2:] if t >= 0]
    arguments = ['node', 'oracle_three.mjs', str(path), '--times', ','.join(map(repr, times))]
    arguments += [] if clip is None else ['--clip', str(clip)]
    done = subprocess.run(arguments, cwd=three, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f'three.js fails: {done.stderr.strip()[-300:]}')
    theirs = json.loads(done.stdout)
    ours = sample(sinew, path, clip, times, False)
    names = ours['names']
    positions = [np.array(m)[12:15] for f in ours['frames'] for m in f['nodes'].values()]
    size, worst = spread(np, positions), 0.0
    for a, b in zip(ours['frames'], theirs['frames']):
        for node, m in b['nodes'].items():
            if ':' in (names.get(node) or ''):
                continue  # three.js does not animate such joints
            worst = largest(worst, float(np.linalg.norm(np.array(m)[12:15] - np.array(a['nodes'][node])[12:15])) / size)
    return worst


def check_bvh(np, bvh, sinew, path):
    joints, dt, motion = bvh.parse(str(path))
    times = [k * dt for k in range(len(motion))]
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        done = run(sinew, 'sample', path, '--key', 'name', '--keys', '--out', out.name)
        if done.returncode != 0:
            raise AssertionError(done.stderr.strip())
        ours = json.load(open(out.name))
    assert len(ours['frames']) == len(times), f"{len(ours['frames'])} frames, expected {len(times)}"
    truth = [bvh.frame(joints, row) for row in motion]
    size, worst = spread(np, [m[:3, 3] for world in truth[::25] for m in world]), 0.0
    for world, frame, t in zip(truth, ours['frames'], times):
        assert abs(frame['t'] - t) < 1e-9, f"frame at {frame['t']} s, expected {t} s"
        for joint, m in zip(joints, world):
            mine = np.array(frame['nodes'][joint['name']]).reshape(4, 4).T
            worst = largest(worst, float(np.linalg.norm(m[:3, 3] - mine[:3, 3])) / size)
    return worst, len(times)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    arguments.add_argument('sinew')
    arguments.add_argument('files', nargs='*')
    arguments.add_argument('--three', help='folder of oracle_three.mjs with its packages installed')
    a = arguments.parse_intermixed_args()
    shared = pathlib.Path(os.environ['SINEW_SHARED']).resolve()
    sys.path.insert(0, str(shared / 'oracles'))
    import numpy as np, oracle_bvh, oracle_numpy
    kinds = {'.glb', '.gltf', '.bvh', '.fbx'}
    files = [pathlib.Path(f).resolve() for f in a.files] or sorted(p for p in (shared / 'data').rglob('*') if p.suffix in kinds)
    sinew = str(pathlib.Path(a.sinew).resolve())
    passed, failed = 0, 0
    for path in files:
        label = path.relative_to(shared / 'data')
        try:
            if path.suffix in REFUSED:
                done = run(sinew, 'inspect', path)
                assert done.returncode == 5 and REFUSED[path.suffix] in done.stderr, f'exit {done.returncode}: {done.stderr.strip()}'
                print(f'ok    {label}: refused by name')
            elif path.suffix == '.bvh':
                worst, frames = check_bvh(np, oracle_bvh, sinew, path)
                assert worst <= LIMIT, f'joints differ by {worst:.2e} of the size'
                print(f'ok    {label}: {frames} frames, joints {worst:.1e} of the size')
            else:
                joints, vertices, three, frames = check_gltf(np, oracle_numpy, sinew, path, shared, a.three)
                assert joints <= LIMIT, f'joints differ by {joints:.2e} of the size'
                assert vertices <= LIMIT, f'vertices differ by {vertices:.2e} of the size'
                assert three <= (THREE_QUANTISED if 'quantized' in str(label) else THREE_LIMIT), f'three.js differs by {three:.2e} of the size'
                print(f'ok    {label}: {frames} poses, joints {joints:.1e}, vertices {vertices:.1e}, three.js {three:.1e}')
            passed += 1
        except (AssertionError, KeyError, ValueError, OSError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f'FAIL  {label}: {type(error).__name__}: {error}')
        sys.stdout.flush()
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


main()
