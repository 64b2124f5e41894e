// Runs the server and the Vite app at one address. The server restarts on every change.
import { spawn } from 'node:child_process'
import { findUsedPort } from '../world/src/port.ts'

const used = await findUsedPort([3000, 5173])
if (used !== undefined) {
  console.error(`Port ${used} is in use, perhaps by npm start or another npm run dev. Stop it first.`)
  process.exit(1)
}

const app = 'http://localhost:5173'
const running = [
  start('node', ['--watch', '--watch-preserve-output', 'server/src/main.ts'], {
    PUBLIC_URL: app,
    PORT: '3000',
    DRAIN_SECONDS: '0',
  }),
  start('vite', ['web', '--port', '5173', '--strictPort', '--logLevel', 'warn'], { PORT: '3000' }),
]
console.log(`\n  Open ${app}/app/ and sign in as ada, dev or eve; npm run password -- ada sets a new password.\n`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
for (const child of running) child.once('exit', stop)

function start(command, args, env) {
  return spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
}

function stop() {
  for (const child of running) child.kill('SIGTERM')
}
