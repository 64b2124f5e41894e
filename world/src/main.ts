// `npm run world`: Passport, connected to simulated external services on this machine, for manual testing.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startAwsMarketplace } from './aws-marketplace/aws-marketplace.ts'
import { addProducts, seller } from './aws-marketplace/seller.ts'
import { company, importSample } from './company.ts'
import { startClouds } from './entra/start-clouds.ts'
import { startMailServer } from './mail.ts'
import { startMeta } from './meta.ts'
import { startOidcProvider } from './oidc-provider/provider.ts'
import { initialUsers } from './oidc-provider/users.ts'
import { nodeFlags } from './process.ts'
import { startRegistrar } from './registrar.ts'

const port = Number(process.env['PORT'] || 3000)
const passportUrl = process.env['PUBLIC_URL'] || `http://localhost:${port}`
const dataDir = process.env['DATA_DIR'] || '.passport/world'
const harbourClient = { clientId: 'passport', clientSecret: 'known-to-everyone-who-reads-this-file' }

const harbour = await startOidcProvider({
  ...harbourClient,
  port: port + 1,
  redirectUri: `${passportUrl}/login/callback/harbour`,
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
const tenants = clouds.flatMap(({ entra }) => entra.tenants.filter(({ people }) => people.length > 0))
const domains = new Set(tenants.map(({ defaultDomain }) => defaultDomain))
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
console.log(`
  Simulated services around Passport

  Harbour ID, an identity provider: ${harbour.issuer}
    ${initialUsers.map(({ name }) => name).join(', ')}; any other name creates a new user. No passwords are needed,
    and faults can be chosen on its sign-in page.

  A mail server that shows the emails that Passport sends: ${mail.url}

  A registrar for verifying domains of organisations; every domain is yours: ${registrar.url}

  Meta Horizon and Lighthouse, with accounts to connect: ${passportUrl}/app/connect
    A headset that connects its user's Meta account: PASSPORT_URL=${passportUrl} npm run device -- --meta NightOwl42

  Three clouds of Microsoft Entra, with tenants, people and faults:
    ${clouds.map(({ entra, configuration: { id } }) => `${id} ${entra.authority}`).join(', ')}
    Domains of their tenants: ${[...domains].join(', ')}
    docs/guide/entra-organisations.md says what to try.

  AWS Marketplace, where a customer subscribes to the products of Stage: ${marketplace.url}

  A company with its permissions in Passport: ${passportUrl}/app/admin/tools/permissions
`)
const passport = spawn(
  process.execPath,
  [...nodeFlags, fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      DATA_DIR: dataDir,
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
      CLIENTS: JSON.stringify([...JSON.parse(process.env['CLIENTS'] || '[]'), company, seller]),
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
  },
)

const shutdown = new AbortController()
void importSample(passportUrl, shutdown.signal).catch((error: unknown) => {
  if (!shutdown.signal.aborted) console.error('The company failed to load its permissions.', error)
})
void addProducts(passportUrl, shutdown.signal).catch((error: unknown) => {
  if (!shutdown.signal.aborted) console.error('The seller failed to create its products.', error)
})

// The terminal sends Ctrl-C to Passport too; the simulated services stop after Passport.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => passport.kill('SIGTERM'))
passport.once('exit', (code) => {
  shutdown.abort()
  const services = [harbour, lighthouse, meta, mail, registrar, marketplace, ...clouds.map(({ entra }) => entra)]
  void Promise.all(services.map(({ stop }) => stop())).then(() => process.exit(code ?? 1))
})
