// `npm run kill -- 60`: the kill test with so many rounds.
import { spawnSync } from 'node:child_process'

const { status } = spawnSync('vitest', ['run', 'server/src/kill.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, KILL_ROUNDS: process.argv[2] ?? '5' },
})
process.exitCode = status ?? 1
