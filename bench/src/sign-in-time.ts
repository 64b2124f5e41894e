// `npm run bench:sign-in`: measures three clients from the provider's response to the stored user, side by side.
import { cpus } from 'node:os'
import { type MisbehavingProvider, startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { type Browser, chromium } from '@playwright/test'
import { type SignInClient, signInClients } from './sign-in-clients.ts'
import { type Site, startSite } from './sign-in-site.ts'
import { formatTable, type Row } from './table.ts'

const rounds = 30
const warmUps = 2
const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

function exitWith(message: string): never {
  console.error(message)
  process.exit(1)
}

interface BenchContext {
  browser: Browser
  provider: MisbehavingProvider
  site: Site
}

interface Outcome {
  /** The error of a client that rejected the response. */
  error?: string
  durationMs: number
  /** The number of requests to the provider after its response. */
  requests: number
}

const provider = await startMisbehavingProvider()
const site = await startSite(provider.issuer)
const browser = await chromium
  .launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  .catch(() => exitWith(`No Chromium starts at ${executablePath}. Set CHROMIUM_PATH to one.`))
const benchContext = { browser, provider, site }
try {
  const outcomes = await measure(benchContext)
  const passportMs = median(outcomes[signInClients[0]])
  const rows: Row[] = []
  for (const client of signInClients) {
    const medianMs = median(outcomes[client])
    rows.push([client, `${medianMs.toFixed(1)} ms`])
    if (medianMs !== passportMs) rows.push(['  ratio of Passport to this', (passportMs / medianMs).toFixed(2)])
    rows.push(['  requests after the response', String(outcomes[client][0]?.requests)])
    rows.push(['  rejects a forged ID token', (await rejectsForgery(benchContext, client)) ? 'yes' : 'no'])
  }
  console.log(
    `Chromium ${browser.version()}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} rounds\n\n${formatTable(rows)}`,
  )
} finally {
  await browser.close()
  site.stop()
  await provider.stop()
}

/**
 * Measures the clients alternately, each round starting with another one, so that other load on the machine affects
 * all.
 */
async function measure(benchContext: BenchContext) {
  const outcomes = Object.fromEntries(signInClients.map((client) => [client, []])) as unknown as Record<
    SignInClient,
    Outcome[]
  >
  for (let round = -warmUps; round < rounds; round++)
    for (let turn = 0; turn < signInClients.length; turn++) {
      const client = signInClients[(round + warmUps + turn) % signInClients.length] as SignInClient
      const outcome = await signIn(benchContext, client)
      if (outcome.error) throw new Error(`${client}: ${outcome.error}`)
      if (round >= 0) outcomes[client].push(outcome)
    }
  return outcomes
}

async function rejectsForgery(benchContext: BenchContext, client: SignInClient): Promise<boolean> {
  benchContext.provider.script.signature = 'forged'
  const { error } = await signIn(benchContext, client)
  benchContext.provider.script.signature = 'valid'
  return error !== undefined
}

/** Signs in once in a new browser context, without stored state. */
async function signIn({ browser, provider, site }: BenchContext, client: SignInClient): Promise<Outcome> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${site.url}/${signInClients.indexOf(client)}/`)
    await page.waitForFunction('window.isReady')
    await page.evaluate('window.begin()')
    await page.waitForURL('**/callback?*')
    await page.waitForFunction('window.isReady')
    const before = provider.requests().length
    const outcome = await page.evaluate<Omit<Outcome, 'requests'>>('window.finish()')
    return { ...outcome, requests: provider.requests().length - before }
  } finally {
    await context.close()
  }
}

/**
 * Returns the median duration in milliseconds: the mean of the two in the middle, because the number of rounds is even.
 */
function median(outcomes: Outcome[]): number {
  const sorted = outcomes.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(sorted.length / 2 - 1)
  return (low + high) / 2
}
