// The contention test with the npm package redlock: `node contend.js PORTS CLIENTS REQUESTS HOLD_US`
// speaks as contend.php does. All clients are in one process, each with connections of its own.
'use strict';

const { createRequire } = require('module');
const peers = createRequire(process.env.REDLOCK_BENCH_PEERS + '/node_modules/');
const Redis = peers('ioredis');
const Redlock = peers('redlock');

const TTL_MS = 30000;
// Its own defaults for pauses; as many attempts as it takes.
const FOR_EVER = { retryCount: -1 };

const [ports, clients, requests, holdUs] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => process.hrtime.bigint();

async function connect(port) {
  const redis = new Redis(Number(port), '127.0.0.1', { lazyConnect: true });
  await redis.connect();
  return redis;
}

async function beClient(redlock, run) {
  while (run.left-- > 0) {
    const asked = now();
    const lock = await redlock.lock('bench:contended:npm', TTL_MS);
    const held = now();
    run.overlaps += run.inside++ === 0 ? 0 : 1;
    await pause(Number(holdUs) / 1000);
    run.inside--;
    const done = now();
    await lock.unlock();
    run.turns.push([asked, held, done, now()].map(Number));
  }
}

function report(run, started) {
  run.turns.sort((a, b) => a[1] - b[1]);
  const turns = run.turns;
  console.log(JSON.stringify({
    elapsed_ns: Math.max(...turns.map((turn) => turn[3])) - started,
    overlaps: run.overlaps,
    wait_ns: turns.map((turn) => turn[1] - turn[0]),
    hold_ns: turns.map((turn) => turn[2] - turn[1]),
    release_ns: turns.map((turn) => turn[3] - turn[2]),
    hand_over_ns: turns.slice(1).map((turn, i) => turn[1] - turns[i][2]),
  }));
}

async function main() {
  const locks = [];
  for (let i = 0; i < Number(clients); i++) {
    locks.push(new Redlock(await Promise.all(ports.split(',').map(connect)), FOR_EVER));
  }
  console.log(JSON.stringify({ ready: true }));
  process.stdin.once('data', async () => {
    const run = { left: Number(requests), inside: 0, overlaps: 0, turns: [] };
    const started = Number(now());
    await Promise.all(locks.map((lock) => beClient(lock, run)));
    report(run, started);
    process.exit(0);
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
