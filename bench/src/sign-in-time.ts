// `npm run bench:sign-in`: measures three clients from the provider's response to the stored user, side by side.
import { cpus } from 'node:os'
import { type MisbehavingProvider, startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { type Browser, chromium } from '@playwright/test'
import { type SignInClient, signInClients } from './sign-in-clients.ts'
import { type Site, startSite } from './sign-in-site.ts'
import { type Row, table } from './table.ts'

const rounds = 30
const warmUps = 2
const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

interface BenchContext {
  browser: Browser
  provider: MisbehavingProvider
  site: Site
}

interface Outcome {
  /** The reason why the client refused the response. */
  refusal?: string
  tookMs: number
  /** The number of requests to the provider after its response. */
  requests: number
}

const provider = await startMisbehavingProvider()
const site = await startSite(provider.issuer)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const benchContext = { browser, provider, site }
try {
  const outcomes = await measure(benchContext)
  const passportMs = median(outcomes[signInClients[0]])
  const rows: Row[] = []
  for (const client of signInClients) {
    const medianMs = median(outcomes[client])
    rows.push([client, `${medianMs.toFixed(1)} ms`])
    if (medianMs !== passportMs) rows.push(['  ratio: ours to it', (passportMs / medianMs).toFixed(2)])
    rows.push(['  requests after the answer', String(outcomes[client][0]?.requests)])
    rows.push(['  refuses a forged ID token', (await refusesForgery(benchContext, client)) ? 'yes' : 'no'])
  }
  console.log(
    `Chromium ${browser.version()}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} rounds\n\n${table(rows)}`,
  )
} finally {
  await browser.close()
  site.stop()
  await provider.stop()
}

/** Measures in turns, each time starting with another client, so that disturbances of the machine affect all. */
async function measure(benchContext: BenchContext) {
  const outcomes = Object.fromEntries(signInClients.map((client) => [client, []])) as unknown as Record<
    SignInClient,
    Outcome[]
  >
  for (let round = -warmUps; round < rounds; round++)
    for (let turn = 0; turn < signInClients.length; turn++) {
      const client = signInClients[(round + warmUps + turn) % signInClients.length] as SignInClient
      const outcome = await signIn(benchContext, client)
      if (outcome.refusal) throw new Error(`${client}: ${outcome.refusal}`)
      if (round >= 0) outcomes[client].push(outcome)
    }
  return outcomes
}

async function refusesForgery(benchContext: BenchContext, client: SignInClient): Promise<boolean> {
  benchContext.provider.script.signature = 'forged'
  const { refusal } = await signIn(benchContext, client)
  benchContext.provider.script.signature = 'right'
  return refusal !== undefined
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

/** For an even number of rounds, returns the mean of the two in the middle. */
function median(outcomes: Outcome[]): number {
  const sorted = outcomes.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(sorted.length / 2 - 1)
  return (low + high) / 2
}
