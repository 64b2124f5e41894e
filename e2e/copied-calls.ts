import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, type Page, test } from '@playwright/test'

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
const run = promisify(execFile)

/** The menu of a page for administrators. */
interface PageMenu {
  items: string[]
  /** The copied command; undefined if the menu has none, or if the page has not called the API. */
  command: string | undefined
}

/**
 * Returns a check of pages for administrators: the menu in their head copies them as a link and, unless they create
 * something, as a command of curl; the command, run by a shell with the token of an application, returns what the page has
 * received. To be called before the first page is opened.
 */
export async function createCallCheck(page: Page): Promise<(path: string) => Promise<void>> {
  const received = recordResponses(page)
  await page.addInitScript(keepCopiedTexts)
  const token = await issueToken(page)
  return (path) =>
    test.step('copied call', async () => {
      const { items, command } = await copyCall(page)
      expect.soft(items, path).toContain('Copy link')
      const isForm = /\/create(?:\?|$)/.test(path)
      expect.soft(items.includes('Copy as cURL'), `${path} has a call`).toBe(!isForm)
      if (command === undefined)
        return expect.soft(isForm || /\/tenantDiscovery$|\/createentra$|trace\?q=/.test(path), path).toBe(true)
      const { url, body, output } = await runCommand(command, token)
      const shown = await received.get(`${url} ${body ?? ''}`)
      expect.soft(shown, `${path} has called ${url} itself`).toBeDefined()
      expect.soft(parseStable(url, output), `${path}: ${command}`).toEqual(parseStable(url, shown ?? ''))
    })
}

/** Records the bodies of the responses that the page receives from the API, by URL and request body. */
function recordResponses(page: Page): Map<string, Promise<string>> {
  const received = new Map<string, Promise<string>>()
  page.on('response', (response) => {
    const request = response.request()
    if (!new URL(request.url()).pathname.startsWith('/passport/') || response.status() !== 200) return
    received.set(
      `${request.url()} ${request.postData() ?? ''}`,
      response.text().catch(() => ''),
    )
  })
  return received
}

async function issueToken(page: Page): Promise<string> {
  const data = { clientName: 'Reads every page', scopes: ['passport.admin.read'] }
  const created = await page.request.post('/passport/admin/identity/clients', { headers, data })
  const { client, secret } = await created.json()
  const response = await page.request.post('/connect/token', {
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${secret}`)}` },
    form: { grant_type: 'client_credentials', scope: 'passport.admin.read' },
  })
  return (await response.json()).access_token
}

interface WindowWithCopies {
  copied: string | undefined
}

/** Runs in every document before its scripts. */
function keepCopiedTexts() {
  navigator.clipboard.writeText = async (text) => {
    Object.assign(window, { copied: text })
  }
}

/** Opens the menu, selects “Copy as cURL” and closes the message about it, in one step of the browser. */
function copyCall(page: Page): Promise<PageMenu> {
  return page.evaluate(async () => {
    const views = window as unknown as WindowWithCopies
    const button = [...document.querySelectorAll<HTMLButtonElement>('button[aria-haspopup=menu]')].find(
      (element) => /^(?:Actions|More actions)$/.test(element.ariaLabel ?? '') && element.checkVisibility(),
    )
    if (!button) return { items: [], command: undefined }
    button.click()
    const menu = button.popoverTargetElement as HTMLElement
    const entries = [...menu.querySelectorAll<HTMLElement>('[role=menuitem]')]
    const items = entries.map(({ textContent }) => textContent)
    views.copied = undefined
    const entry = entries.find(({ textContent }) => textContent === 'Copy as cURL')
    if (!entry) {
      menu.hidePopover()
      return { items, command: undefined }
    }
    const hasNoCall = () => document.body.textContent.includes('has not called the API yet')
    // The message about another page may still be shown: a new one cannot be distinguished from it.
    const wasShown = hasNoCall()
    entry.click()
    for (let frame = 0; views.copied === undefined && (wasShown ? frame < 60 : !hasNoCall()); frame++)
      await new Promise(requestAnimationFrame)
    return { items, command: views.copied }
  })
}

/** Runs a copied command as a shell does; returns the arguments of curl, and what it has printed. */
async function runCommand(command: string, token: string) {
  const traced = `curl() { command curl -sS "$@" && printf '\\0%s' "$@"; }\n${command}`
  const { stdout } = await run('sh', ['-c', traced], { env: { ...process.env, TOKEN: token } })
  const [output = '', url = '', ...options] = stdout.split('\0')
  const data = options.indexOf('-d')
  return { output, url, body: data < 0 ? undefined : options[data + 1] }
}

/** Members that change from one call to the next. */
const volatile = new Set([
  // About the caller.
  'isMember',
  'isOwner',

  'watermark',
  'lastUsedAt',
  'checkedAt',
  'latencyMs',
  'rssBytes',
  'eventLoopLagMs',
  'asOf',
  'duration',
])

/**
 * Parses a response without what changes from one call to the next, such as the record of the call itself in the audit
 * log; one that is no JSON is returned as it is.
 */
function parseStable(url: string, text: string): unknown {
  const isHealth = url.endsWith('/admin/health')
  // The record of the call moves the last entry of a full page to the next one.
  const isAudit = url.includes('/admin/audit?')
  try {
    return JSON.parse(text, (name, value) => {
      if (volatile.has(name) || (isHealth && /^(?:status|since)$/.test(name))) return undefined
      if (isAudit && name === 'next') return undefined
      if (!Array.isArray(value)) return value
      const stable = value.filter((item) => item?.action !== 'client.called')
      return isAudit && name === 'items' ? stable.slice(0, 50) : stable
    })
  } catch {
    return text
  }
}
