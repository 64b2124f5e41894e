import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningAwsMarketplace, startAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import { type RunningEntra, startEntra } from '@passport/world/entra/entra'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { type RunningMeta, startMeta } from '@passport/world/meta'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import { run, runServer } from '@passport/world/process'

/**
 * A server process with its embedded database, a second identity provider, a simulated Meta, a mail server and, on request,
 * simulated clouds of Microsoft Entra, for the tests of a worker.
 */
export interface Passport {
  url: string
  passwordOf: (user: string) => string
  /** Adds a user to the built-in directory, like `npm run password`. */
  add: (user: string, displayName: string) => Promise<void>
  /** The second identity provider. */
  harbour: RunningProvider
  /** The mail server that receives the server's emails. */
  mail: RunningMailServer
  /** Meta Horizon, whose accounts users connect with `connectsMeta`. */
  meta: RunningMeta
  /** The commercial cloud of Microsoft Entra and that of China, with `connectsEntra`. */
  entra: RunningEntra[]
  /** AWS Marketplace with the products of the demo world, with `connectsAws`. */
  aws: RunningAwsMarketplace | undefined
  /** Pauses all processes of the database, which then accepts connections but does not respond, or continues them. */
  signalDatabase: (signal: 'SIGSTOP' | 'SIGCONT') => void
  stop: () => Promise<void>
}

/** A data directory to copy for each server, and the passwords of its users. */
interface Prepared {
  dataDir: string
  demoPassword: string
  maxPassword: string
}

const harbourClient = { clientId: 'passport', clientSecret: 'harbour-client-secret-of-the-tests' }
const local = { id: 'local', kind: 'local', name: 'Passport' }

const eventKey = 'the-event-key-of-the-browser-tests'

/** Passes the prepared data directory to the workers, as JSON. */
const preparedVariable = 'PASSPORT_E2E_PREPARED'

/**
 * Prepares a data directory once for all workers: starts a server on it, and adds `max` to the demo users. Returns a
 * function that deletes it.
 */
// biome-ignore lint/style/noDefaultExport: the runner calls the default export of a global setup
export default async function prepare(): Promise<() => void> {
  const dataDir = createDataDir()
  const settings = { DATA_DIR: dataDir, IDENTITY_PROVIDERS: JSON.stringify([local]) }
  const server = await runServer(settings)
  const added = await addUser('max', 'Max Weber', settings)
  const [, issuer = '', subject = ''] = /admin -- grant (\S+) (\S+)/.exec(added.output) ?? []
  await run('commands/admin.ts', ['grant', issuer, subject], settings).exited
  server.kill('SIGTERM')
  await server.exited
  const prepared: Prepared = { dataDir, demoPassword: server.password, maxPassword: added.password }
  process.env[preparedVariable] = JSON.stringify(prepared)
  return () => rmSync(dataDir, { recursive: true, force: true })
}

/** Starts a server like `npm start`, on a copy of the prepared data directory. */
export async function startPassport(
  env: Record<string, string> = {},
  options: { connectsMeta?: true; connectsEntra?: true; connectsAws?: true; signUp?: 'invited' } = {},
): Promise<Passport> {
  const prepared: Prepared = JSON.parse(process.env[preparedVariable] ?? '')
  const dataDir = copyDataDir(prepared.dataDir)
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const harbour = await startOidcProvider({ ...harbourClient, redirectUri: `${url}/login/callback/harbour` })
  const mail = await startMailServer()
  const metaApp = { appId: '1001', appSecret: 'meta-app-secret-of-the-tests', organizationId: '2002' }
  const meta = await startMeta({ ...metaApp, redirectUri: `${url}/app/connect/metahorizon/callback` })
  const clouds = options.connectsEntra ? await startClouds(url) : []
  const aws = options.connectsAws ? await startAws(url) : undefined
  const providers = [
    local,
    {
      id: 'harbour',
      kind: 'oidc',
      name: 'Harbour ID',
      issuer: harbour.issuer,
      ...harbourClient,
      signUp: options.signUp ?? 'open',
      trustEmail: true,
    },
  ]
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: 'Stage Passport <passport@stage.example>',
    IDENTITY_PROVIDERS: JSON.stringify(providers),
    ...(options.connectsMeta && {
      META_APP_ID: metaApp.appId,
      META_APP_SECRET: metaApp.appSecret,
      META_ORGANIZATION_ID: metaApp.organizationId,
      META_SSO_URL: meta.ssoUrl,
      META_GRAPH_URL: meta.graphUrl,
    }),
    ...(options.connectsEntra && { ENTRA_CLOUDS: JSON.stringify(clouds.map(({ configuration }) => configuration)) }),
    ...(aws && { AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_EVENT_KEYS: eventKey, ...aws.environment }),
    ...env,
  }
  const server = await runServer(settings)
  const passwords = new Map([['max', prepared.maxPassword]])
  return {
    url,
    harbour,
    mail,
    meta,
    entra: clouds.map(({ entra }) => entra),
    aws,
    passwordOf: (user) => passwords.get(user) ?? prepared.demoPassword,
    signalDatabase: (signal) => signalDatabase(dataDir, signal),
    add: async (user, displayName) => void passwords.set(user, (await addUser(user, displayName, settings)).password),
    stop: async () => {
      server.kill('SIGTERM')
      await server.exited
      await harbour.stop()
      await mail.stop()
      await meta.stop()
      for (const { entra } of clouds) await entra.stop()
      await aws?.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Sends a signal to the main process of the embedded database and to its children. */
function signalDatabase(dataDir: string, signal: 'SIGSTOP' | 'SIGCONT') {
  const [main = ''] = readFileSync(join(dataDir, 'postgres', 'tables', 'postmaster.pid'), 'utf8').split('\n')
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const children = rows.map((row) => row.trim().split(/\s+/)).flatMap(([pid, parent]) => (parent === main ? [pid] : []))
  for (const pid of [main, ...children]) {
    try {
      process.kill(Number(pid), signal)
    } catch (error) {
      // A child may have ended since it was listed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}

/** Starts AWS Marketplace, which sends buyers and events to the server. */
const startAws = (url: string) =>
  startAwsMarketplace({
    fulfilmentUrl: `${url}/passport/licensing/awsmarketplace/landing`,
    eventsUrl: `${url}/passport/licensing/awsmarketplace/events`,
    eventKey,
  })

/** Starts two clouds, which share the domain orient.example, and registers the server in both. */
const startClouds = (url: string) =>
  Promise.all(
    ['AzurePublic', 'AzureChina'].map(async (id) => {
      const registration = { id, clientId: `the-client-in-${id}`, clientSecret: 'entra-secret-of-the-tests' }
      const entra = await startEntra({
        ...registration,
        redirectUris: [`${url}/login/callback/entra`],
        consentRedirectUri: `${url}/passport/connect/entra/adminconsent/callback`,
      })
      return { entra, configuration: { ...registration, authority: entra.authority, graph: entra.graph } }
    }),
  )

async function addUser(user: string, displayName: string, settings: Record<string, string>) {
  const args = [user, '--add', displayName, `${user}@passport.example`]
  const { output } = await run('commands/password.ts', args, settings).exited
  return { output, password: /New password of [^:]+: {2}(\S+)/.exec(output)?.[1] ?? '' }
}

/** Creates a directory that is readable by PostgreSQL's own user when the tests run as root. */
function createDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-e2e-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

/** Copies with the same owners and modes: PostgreSQL does not start on tables of another user. */
function copyDataDir(dataDir: string): string {
  if (!existsSync(join(dataDir, 'postgres', 'tables')))
    throw new Error(`${dataDir} has no tables. Set TMPDIR to a directory that every user can traverse.`)
  const copy = createDataDir()
  execFileSync('cp', ['-a', `${dataDir}/.`, copy])
  return copy
}
