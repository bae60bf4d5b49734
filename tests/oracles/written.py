#!/usr/bin/env python3
"""Every GLB that sinew writes passes the Khronos validator and reads back to the poses it was made from.

Converts every file of the shared data folder (as it is, trimmed and resampled), compares what was written
with what was read, and validates it together with every GLB found in further folders.

    SINEW_SHARED=... python3 tests/oracles/written.py target/release/sinew NODE_FOLDER OUT [FOLDER ...]

NODE_FOLDER holds validate.mjs with its packages installed.
"""
import json, os, pathlib, subprocess, sys

sinew, node, out = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
data = pathlib.Path(os.environ['SINEW_SHARED']).resolve() / 'data'
out.mkdir(parents=True, exist_ok=True)
passed, failed, written = 0, 0, []

# Files whose own fault no writer can mend: refused in these words, or written with this code of the validator.
REFUSED = {'unassigned_skeleton/unassigned-skeleton.gltf': 'inverse bind'}
FAULTY = {'interpolation_test+interpolation_test.gltf': ['IO_ERROR']}  # its picture is not beside it


def run(*arguments):
    return subprocess.run([str(sinew), *map(str, arguments)], capture_output=True, text=True)


def say(ok, label, detail=''):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    if not ok:
        print(f'FAIL  {label}: {detail}')
        sys.stdout.flush()


for path in sorted(p for p in data.rglob('*') if p.suffix in {'.glb', '.gltf', '.bvh'}):
    label = str(path.relative_to(data))
    plain = ['--units', 'as-is', '--up', 'as-is'] if path.suffix == '.bvh' else []
    target = out / (label.replace('/', '+') + '.glb')
    done = run('convert', path, target, *plain)
    if label in REFUSED:
        say(done.returncode == 3 and REFUSED[label] in done.stderr, label, f'exit {done.returncode}: {done.stderr.strip()}')
        continue
    say(done.returncode == 0, label, f'exit {done.returncode}: {done.stderr.strip()}')
    if done.returncode:
        continue
    written.append(target)
    listing = json.loads(run('inspect', target, '--format', 'json').stdout)
    if listing['clips']:
        # The frame times of a BVH are no float32: a hand that moves by its own size in a second is off by the
        # rounding of the time, some 1e-6 of that size after half a minute. All else must come back as it was.
        box = listing['skeleton']
        size = max(hi - lo for lo, hi in zip(box['rest_min'], box['rest_max']))
        limit = repr(1e-5 * size * 1e3) if path.suffix == '.bvh' else '1e-6'
        same = run('diff', path, target, '--limit-mm', limit, '--limit-deg', '0.01')
        say(same.returncode == 0, label, same.stdout + same.stderr)
        longest = max(listing['clips'], key=lambda c: c['duration'])
        if longest['duration'] > 0.2:
            changed = out / (label.replace('/', '+') + '.changed.glb')
            span = f"{longest['duration'] * 0.25}:{longest['duration'] * 0.75}"
            done = run('convert', path, changed, *plain, '--clip', str(longest['index']), '--trim', span, '--resample', '30')
            say(done.returncode == 0, f'{label} changed', done.stderr.strip())
            written += [changed] if done.returncode == 0 else []
for folder in sys.argv[4:]:
    written += sorted(pathlib.Path(folder).resolve().rglob('*.glb'))

for at in range(0, len(written), 20):
    some = [str(p) for p in written[at:at + 20]]
    done = subprocess.run(['node', 'validate.mjs', *some], cwd=node, capture_output=True, text=True)
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    say(len(reports) == len(some), 'validator', f'{len(reports)} reports for {len(some)} files: {done.stderr[-300:]}')
    for report in reports:
        allowed = next((codes for name, codes in FAULTY.items() if name in report['file']), [])
        say(set(report['sev0']) <= set(allowed), report['file'], f"validator errors {report['sev0']}")
print(f'{len(written)} files written')
print(f'{passed} passed, {failed} failed')
sys.exit(1 if failed or not written else 0)
