// `npm run bench:sign-in`: how long three clients take from the answer of the provider to the stored user, side by side.
import { cpus } from 'node:os'
import { type MisbehavingProvider, startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { type Browser, chromium } from '@playwright/test'
import { type SignInClient, signInClients } from './sign-in-clients.ts'
import { type Site, startSite } from './sign-in-site.ts'
import { type Row, table } from './table.ts'

const rounds = 30
const warmUps = 2
const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'

interface World {
  browser: Browser
  provider: MisbehavingProvider
  site: Site
}

interface Outcome {
  /** Why the client did not take the answer. */
  refusal?: string
  tookMs: number
  /** How often the client asked the provider after its answer. */
  requests: number
}

const provider = await startMisbehavingProvider()
const site = await startSite(provider.issuer)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const world = { browser, provider, site }
try {
  const outcomes = await measure(world)
  const ours = median(outcomes[signInClients[0]])
  const rows: Row[] = []
  for (const client of signInClients) {
    const took = median(outcomes[client])
    rows.push([client, `${took.toFixed(1)} ms`])
    if (took !== ours) rows.push(['  ratio: ours to it', (ours / took).toFixed(2)])
    rows.push(['  requests after the answer', String(outcomes[client][0]?.requests)])
    rows.push(['  refuses a forged ID token', (await refusesForgery(world, client)) ? 'yes' : 'no'])
  }
  console.log(
    `Chromium ${browser.version()}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} rounds\n\n${table(rows)}`,
  )
} finally {
  await browser.close()
  site.stop()
  await provider.stop()
}

/** In turns, each time beginning with another, so that what disturbs the machine disturbs all. */
async function measure(world: World) {
  const outcomes = Object.fromEntries(signInClients.map((client) => [client, []])) as unknown as Record<
    SignInClient,
    Outcome[]
  >
  for (let round = -warmUps; round < rounds; round++)
    for (let turn = 0; turn < signInClients.length; turn++) {
      const client = signInClients[(round + warmUps + turn) % signInClients.length] as SignInClient
      const outcome = await signIn(world, client)
      if (outcome.refusal) throw new Error(`${client}: ${outcome.refusal}`)
      if (round >= 0) outcomes[client].push(outcome)
    }
  return outcomes
}

async function refusesForgery(world: World, client: SignInClient): Promise<boolean> {
  world.provider.script.signature = 'forged'
  const { refusal } = await signIn(world, client)
  world.provider.script.signature = 'right'
  return refusal !== undefined
}

/** Once, as somebody who has never been there: nothing is kept from the time before. */
async function signIn({ browser, provider, site }: World, client: SignInClient): Promise<Outcome> {
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

/** Of an even number of rounds, it lies between the two in the middle. */
function median(outcomes: Outcome[]): number {
  const sorted = outcomes.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const [low = Number.NaN, high = Number.NaN] = sorted.slice(sorted.length / 2 - 1)
  return (low + high) / 2
}
