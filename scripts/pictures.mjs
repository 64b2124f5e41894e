// `npm run pictures`: takes the pictures of the README, from the pages of a new demo world, in both themes. The world has
// the same company each time; dates are those of the day.
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './browser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const requireFrom = (workspace) => createRequire(join(root, workspace, 'package.json'))
const { chromium } = requireFrom('e2e')('@playwright/test')
// The server scales avatars with it.
const sharp = requireFrom('server')('sharp')

const folder = join(root, 'docs/pictures')
const maxBytes = 150_000
const port = Number(process.env.PORT || 3900)
const passport = `http://localhost:${port}`
const things = `http://localhost:${port + 10}`

/** The pages, by the name of their files. */
const pages = {
  home: (page) => page.goto(`${things}/1`),
  'sign-in': (page) => page.goto(`${passport}/login`),
  access: (page) => page.goto(`${things}/5`),
  subscription: async (page) => {
    await page.goto(`${things}/1`)
    await page.goto(`${passport}/app/admin/awssubscriptions`)
    await page.getByRole('link', { name: /Stage Studio/ }).click()
    await page.getByText('In sync with AWS').waitFor()
  },
}

const executablePath = ensureBrowser()
if (!executablePath) process.exit(1)
const dataDir = mkdtempSync(join(tmpdir(), 'passport-pictures-'))
chmodSync(dataDir, 0o755)
mkdirSync(folder, { recursive: true })
const world = await startWorld()
const browser = await chromium.launch({ executablePath })
try {
  for (const [name, open] of Object.entries(pages)) await takePictures(name, open)
} finally {
  await browser.close()
  world.kill('SIGTERM')
  await new Promise((resolve) => world.once('exit', resolve))
  rmSync(dataDir, { recursive: true, force: true })
}

/** Opens a page once, and takes a picture of it in each theme. */
async function takePictures(name, open) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1.5,
    reducedMotion: 'reduce',
    timezoneId: findMorning(),
  })
  const page = await context.newPage()
  await open(page)
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => document.fonts.ready)
  await page.evaluate(() => document.activeElement?.blur())
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme })
    await save(`${name}-${colorScheme}.png`, await page.screenshot({ animations: 'disabled' }))
  }
  await context.close()
}

/** Writes a picture with 128 colours, which look the same and take a third of the bytes. */
async function save(file, png) {
  const { size } = await sharp(png).png({ palette: true, colours: 128, effort: 10 }).toFile(join(folder, file))
  console.log(`docs/pictures/${file}   ${(size / 1000).toFixed(0)} kB`)
  if (size > maxBytes) {
    console.error(`${file} is larger than ${maxBytes / 1000} kB.`)
    process.exitCode = 1
  }
}

/** Returns a time zone in which it is morning, as the greeting depends on the hour. */
function findMorning() {
  const hours = ((10 - new Date().getUTCHours() + 36) % 24) - 12
  return hours === 0 ? 'Etc/GMT' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}

/** Starts a demo world in an empty directory, and waits until it is furnished. */
async function startWorld() {
  const child = spawn(process.execPath, ['world/src/main.ts'], {
    cwd: root,
    env: { ...process.env, PORT: String(port), DATA_DIR: join(dataDir, 'world') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += text
      if (output.includes('To start afresh')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`The world exited with ${code}: ${output}`)))
  })
  return child
}
