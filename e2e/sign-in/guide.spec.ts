import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@passport/world/port'
import { expect, type Page, test } from '@playwright/test'
import { createServer } from 'vite'
import { type Passport, startPassport } from '../passport.ts'

/** Runs the guide's apps verbatim, except for the two ports. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guide/your-first-browser-app.md'), 'utf8')
const appUrl = 'http://localhost:5173'
const passportUrl = 'http://localhost:3000'

/** Returns the only match in the guide. */
function extractFromGuide(pattern: RegExp): string {
  const matches = [...guide.matchAll(pattern)].map(([, piece]) => piece)
  if (matches.length !== 1) throw new Error(`The guide has ${pattern} ${matches.length} times`)
  return matches[0] ?? ''
}

/** Creates a folder with the page and the packed client, as `npm install` would. */
function createAppFolder(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'passport-guide-'))
  const scope = join(folder, 'node_modules/@passport')
  mkdirSync(scope, { recursive: true })
  execFileSync('npm', ['pack', '-w', '@passport/sign-in', '--pack-destination', folder], { cwd: root, stdio: 'ignore' })
  execFileSync('tar', ['-xzf', join(folder, 'passport-sign-in-0.1.0.tgz'), '-C', scope])
  renameSync(join(scope, 'package'), join(scope, 'sign-in'))
  expectCompletePackage(join(scope, 'sign-in'))
  for (const name of ['jose', 'oauth4webapi', 'react', 'react-dom', 'scheduler'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'index.html'), page)
  return folder
}

/** Expects that the package has every file in its `exports`, and source maps that contain the sources. */
function expectCompletePackage(folder: string) {
  const { exports, repository, keywords, engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect([repository.directory, keywords.length > 0, engines.node]).toEqual(['sign-in', true, '>=20'])
  for (const name of ['.', './react']) {
    expect(existsSync(join(folder, exports[name].types)), name).toBe(true)
    const script = join(folder, exports[name].default)
    expect(readFileSync(script, 'utf8')).toMatch(/sourceMappingURL=\w+\.js\.map/)
    const { sourcesContent } = JSON.parse(readFileSync(`${script}.map`, 'utf8'))
    expect(sourcesContent?.[0], name).toContain('export')
  }
}

/** Serves the folder like `npx vite`. */
async function serveFolder(root: string, port: number) {
  // Without it, Vite would find the second app's dependencies late and reload the page.
  const optimizeDeps = { force: true }
  const vite = await createServer({ root, configFile: false, logLevel: 'error', server: { port }, optimizeDeps })
  await vite.listen()
  return vite
}

async function signInAsEve(page: Page, { passwordOf }: Passport) {
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill(passwordOf('eve'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByText('Hello Eve Moreau')).toBeVisible()
}

test("the guide's apps sign in, keep the user after a reload, and sign out", async ({ page }) => {
  test.setTimeout(120_000)
  const port = await findFreePort()
  const app = `http://localhost:${port}`
  const passport = await startPassport({ CLIENTS: extractFromGuide(/CLIENTS='([^']+)'/g).replaceAll(appUrl, app) })
  const html = extractFromGuide(/```html\n([\s\S]+?)```/g)
  const jsx = extractFromGuide(/```jsx\n([\s\S]+?)```/g)
  for (const code of [html, jsx]) expect(code).toContain(passportUrl)
  const folder = createAppFolder(html.replaceAll(passportUrl, passport.url))
  let vite = await serveFolder(folder, port)
  try {
    const failures: string[] = []
    page.on('pageerror', ({ message }) => failures.push(message))
    await page.goto(app)
    await expect(page.getByText('Nobody')).toBeVisible()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signInAsEve(page, passport)
    await expect(page).toHaveURL(`${app}/`)
    await page.reload()
    await expect(page.getByText('Hello Eve Moreau')).toBeVisible()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByText('Nobody')).toBeVisible()
    await page.goto(`${app}/callback?error=access_denied&state=unknown`)
    await expect(page).toHaveURL(`${app}/`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('link', { name: 'Continue with Passport' })).toBeVisible()

    await vite.close()
    const title = html.slice(0, html.indexOf('<p'))
    const [root = '', script = ''] =
      guide.match(/<div id="root"><\/div>|<script type="module" src=.*?<\/script>/g) ?? []
    writeFileSync(join(folder, 'index.html'), title + root + script)
    writeFileSync(join(folder, 'main.jsx'), jsx.replaceAll(passportUrl, passport.url))
    vite = await serveFolder(folder, port)
    await page.context().clearCookies()
    await page.goto(`${app}/orders?page=2`)
    await signInAsEve(page, passport)
    await expect(page).toHaveURL(`${app}/orders?page=2`)
    await page.reload()
    await expect(page.getByText('Hello Eve Moreau')).toBeVisible()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByRole('link', { name: 'Continue with Passport' })).toBeVisible()
    await page.goto(`${app}/callback?error=access_denied&state=unknown`)
    await expect(page.getByText('Not signed in: state_not_found')).toBeVisible()
    expect(failures).toEqual([])
  } finally {
    await vite.close()
    await passport.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
