// Runs on the host's Node before anything is installed: prepares a clone, and does nothing if it is ready.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const requiredMajor = 24

installIfLockChanged()
const node = findNode()
if (process.argv.includes('--build')) buildIfSourcesChanged()

function installIfLockChanged() {
  const stamp = join(root, 'node_modules/.passport-lock')
  const lock = computeHash(['package-lock.json'])
  const isInstalled = () => readIfExists(stamp) === lock
  if (isInstalled()) return
  takeTurn()
  if (isInstalled()) return
  console.error('Installing (once, and again when the lock file changes)…')
  // The npm that runs this script, or else `npm` from the path.
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']]
  run(command, [...args, '--loglevel=error'])
  writeFileSync(stamp, lock)
}

/** Returns the path of the Node.js that npm installed for this platform, otherwise of the one that runs this script. */
function findNode() {
  const packaged = join(root, 'node_modules/.bin/node')
  const binary = existsSync(packaged) ? packaged : process.execPath
  const { stdout } = spawnSync(binary, ['-v'], { encoding: 'utf8' })
  if (Number(/^v(\d+)/.exec(stdout ?? '')?.[1]) >= requiredMajor) return binary
  console.error(
    `Passport requires Node ${requiredMajor}, which has no package for ${process.platform} ${process.arch}. Install it and try again.`,
  )
  process.exit(1)
}

function buildIfSourcesChanged() {
  const stamp = join(root, 'web/dist/.passport-sources')
  const sources = computeHash(['package-lock.json', 'web', 'contract/src', 'sign-in/src'].flatMap(listFiles))
  const isBuilt = () => readIfExists(stamp) === sources
  if (isBuilt()) return
  takeTurn()
  if (isBuilt()) return
  console.error('Building the web app (once, and again when its sources change)…')
  run(node, [join(root, 'node_modules/vite/bin/vite.js'), 'build', 'web', '--logLevel', 'warn'])
  mkdirSync(join(root, 'web/dist'), { recursive: true })
  writeFileSync(stamp, sources)
}

/**
 * Waits until no other command installs or builds in this clone, and makes others wait until this process ends: in a new
 * clone, `npm start` and `npm run seed` may be the first command at the same time.
 */
function takeTurn() {
  const file = join(root, '.bootstrap.lock')
  for (let isWaiting = false; ; ) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(readIfExists(file))
    if (holder === process.pid) return
    if (isRunning(holder)) {
      if (!isWaiting) console.error('Waiting for another command that installs or builds…')
      isWaiting = true
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    } else rmSync(file, { force: true })
  }
  process.on('exit', () => rmSync(file, { force: true }))
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function listFiles(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules')
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(path, entry.name)) : [join(path, entry.name)]))
    .sort()
}

function computeHash(files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function readIfExists(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function run(command, args) {
  // The standard output belongs to the command that follows, such as an export to a file.
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['inherit', process.stderr, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}
