// `npm run world`: Passport, connected to simulated external services on this machine, and ten things to try.
import { randomBytes } from 'node:crypto'
import { startAwsMarketplace } from './aws-marketplace/aws-marketplace.ts'
import { demoPeople, furnish } from './demo/furnish.ts'
import { startHub } from './demo/hub.ts'
import { northlight } from './demo/northlight.ts'
import { prepareData, type RunningPassport, startPassport } from './demo/passport.ts'
import { saveState } from './demo/state.ts'
import { startClouds } from './entra/start-clouds.ts'
import { startMailServer } from './mail.ts'
import { startMeta } from './meta.ts'
import { startOidcProvider } from './oidc-provider/provider.ts'
import { findUsedPort } from './port.ts'
import { startRegistrar } from './registrar.ts'

/** Passport, the services around it, and the page with the ten things. */
const portCount = 11

// What prevents the start is printed as a sentence. Passport, if it runs already, ends first.
let passport: RunningPassport | undefined
process.on('uncaughtException', fail)
async function fail({ message }: Error) {
  process.off('SIGINT', ignoreSignal)
  console.error(`\n  The demo world cannot start: ${message}\n`)
  passport?.stop()
  await passport?.exited
  process.exit(1)
}
const ignoreSignal = () => {}

const port = await readPort()
const passportUrl = process.env['PUBLIC_URL'] || `http://localhost:${port}`
const dataDir = process.env['DATA_DIR'] || '.passport/world'
const harbourClient = { clientId: 'passport', clientSecret: 'known-to-everyone-who-reads-this-file' }

console.log('\n  Starting the demo world…')
const state = await prepareData(dataDir)

const harbour = await startOidcProvider({
  ...harbourClient,
  port: port + 1,
  redirectUri: `${passportUrl}/login/callback/harbour`,
  people: [...Object.values(demoPeople), 'Nora Lind', 'Omar Haddad'],
  followsHint: true,
})
const lighthouse = await startOidcProvider({
  ...harbourClient,
  name: 'Lighthouse',
  port: port + 5,
  redirectUri: `${passportUrl}/app/connect/lighthouse/callback`,
})
const metaApp = { appId: '1000000000001', appSecret: 'known-to-everyone-too', organizationId: '1000000000002' }
const meta = await startMeta({
  ...metaApp,
  port: port + 4,
  redirectUri: `${passportUrl}/app/connect/metahorizon/callback`,
})
const clouds = await startClouds(port + 6, passportUrl, dataDir)
const entra = clouds[0]?.entra
if (!entra) throw new Error('There is no cloud')
entra.tenants.push(structuredClone(northlight))
const mail = await startMailServer({ port: port + 2 })
const registrar = await startRegistrar({ port: port + 3 })
const eventKey = randomBytes(33).toString('base64url')
const marketplace = await startAwsMarketplace({
  port: port + 9,
  fulfilmentUrl: `${passportUrl}/passport/licensing/awsmarketplace/landing`,
  eventsUrl: `${passportUrl}/passport/licensing/awsmarketplace/events`,
  eventKey,
  eventTarget: 'queue',
  stateFile: `${dataDir}/aws-marketplace.json`,
})
passport = startPassport(
  {
    ...process.env,
    DATA_DIR: dataDir,
    DRAIN_SECONDS: '0',
    SMTP_URL: mail.smtpUrl,
    DNS_RESOLVER: registrar.nameServer,
    MAIL_FROM: `Stage Passport <passport@stage.example>`,
    META_APP_ID: metaApp.appId,
    META_APP_SECRET: metaApp.appSecret,
    META_ORGANIZATION_ID: metaApp.organizationId,
    META_SSO_URL: meta.ssoUrl,
    META_GRAPH_URL: meta.graphUrl,
    AWS_MARKETPLACE_REGION: 'us-east-1',
    AWS_MARKETPLACE_EVENT_KEYS: eventKey,
    AWS_MARKETPLACE_QUEUES: marketplace.eventQueueUrl,
    ...marketplace.environment,
    CONNECTORS: JSON.stringify([
      { id: 'lighthouse', kind: 'oidc', name: 'Lighthouse', issuer: lighthouse.issuer, ...harbourClient },
    ]),
    ENTRA_CLOUDS: JSON.stringify(clouds.map(({ configuration }) => configuration)),
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      {
        id: 'harbour',
        kind: 'oidc',
        name: 'Harbour ID',
        issuer: harbour.issuer,
        ...harbourClient,
        signUp: 'open',
        trustEmail: true,
      },
    ]),
  },
  `${dataDir}/passport.log`,
)
const services: { stop: () => Promise<void> }[] = [
  harbour,
  lighthouse,
  meta,
  mail,
  registrar,
  marketplace,
  ...clouds.map(({ entra }) => entra),
]

// The terminal sends Ctrl-C to Passport too; the simulated services stop after Passport.
process.on('SIGINT', ignoreSignal)
process.on('SIGTERM', passport.stop)
void passport.exited.then(async (code) => {
  await Promise.all(services.map(({ stop }) => stop()))
  process.exit(code ?? 1)
})

await passport.ready
const furnished = await furnish(state, { passportUrl, entra, marketplace, save: (state) => saveState(dataDir, state) })
const hub = await startHub({
  port: port + 10,
  passportUrl,
  state: furnished,
  places: { mail: mail.url, registrar: registrar.url, marketplace: marketplace.url, entra: entra.authority },
})
services.push(hub)
console.log(`
  Passport is ready at ${passportUrl}, with simulated services around it. Nothing leaves this machine.

  Ten things to try, also at ${hub.url}
${hub.things.map(({ title }, index) => `  ${String(index + 1).padStart(4)}  ${title.padEnd(42)} ${hub.url}/${index + 1}`).join('\n')}

  Each link signs the right person in. With a password: ada (administrator), dev (developer) or eve
  ${state.password}

  Mailbox ${mail.url}   AWS ${marketplace.url}   DNS ${registrar.url}
  Entra ${clouds.map(({ entra }) => entra.authority).join(', ')}   Identity provider ${harbour.issuer}
  Guides ${passportUrl}/docs   Log ${dataDir}/passport.log   To start afresh: DATA_DIR=${dataDir} npm run reset
`)
process.off('uncaughtException', fail)

/** Reads PORT, the first of the ports of the world. Throws if it is invalid, or if one of them is in use. */
async function readPort(): Promise<number> {
  const first = Number(process.env['PORT'] || 3000)
  if (!(Number.isInteger(first) && first >= 1 && first + portCount <= 65_536))
    throw new Error(`PORT must be an integer from 1 to ${65_536 - portCount}.`)
  const used = await findUsedPort(Array.from({ length: portCount }, (_, index) => first + index))
  if (used === undefined) return first
  throw new Error(
    `port ${used} is in use, perhaps by Passport or another demo world. Stop it, or choose ${portCount} other ports by the first of them: PORT=${first + 1000} npm run world`,
  )
}
