import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningMailServer, startMailServer } from '@passport/world/mail'
import { startOidcProvider } from '@passport/world/oidc-provider/provider'
import { freePort } from '@passport/world/port'
import { run, runServer } from '@passport/world/process'

/** A whole Passport of one's own: the real server with its embedded database, a second identity provider, and a mail server. */
export interface Passport {
  url: string
  passwordOf: (who: string) => string
  /** Adds somebody to the built-in directory, as `npm run password` does. */
  add: (who: string, displayName: string) => Promise<void>
  /** Where its mails arrive. */
  mail: RunningMailServer
  stop: () => Promise<void>
}

/** A data directory that servers start on a copy of, and the passwords of the people in it. */
interface Prepared {
  dataDir: string
  passwordOfCast: string
  passwordOfMax: string
}

const harbourClient = { clientId: 'passport', clientSecret: 'the-secret-of-the-tests-at-harbour' }
const local = { id: 'local', kind: 'local', name: 'Passport' }

/** Names the prepared data directory to the workers, as JSON. */
const preparedVariable = 'PASSPORT_E2E_PREPARED'

/**
 * Prepares the data directory once for all workers: the first start of a server on it, and `max` beside the
 * demonstration people. Returns what removes it.
 */
// biome-ignore lint/style/noDefaultExport: the runner calls the default export of a global setup
export default async function prepare(): Promise<() => void> {
  const dataDir = makeDataDir()
  const settings = { DATA_DIR: dataDir, IDENTITY_PROVIDERS: JSON.stringify([local]) }
  const server = await runServer(settings)
  const added = await addPerson('max', 'Max Weber', settings)
  const [, issuer = '', subject = ''] = /admin -- grant (\S+) (\S+)/.exec(added.output) ?? []
  await run('commands/admin.ts', ['grant', issuer, subject], settings).ended
  server.kill('SIGTERM')
  await server.ended
  const prepared: Prepared = { dataDir, passwordOfCast: server.password, passwordOfMax: added.password }
  process.env[preparedVariable] = JSON.stringify(prepared)
  return () => rmSync(dataDir, { recursive: true, force: true })
}

/** Starts it as `npm start` does, on a copy of the prepared data directory. */
export async function startPassport(env: Record<string, string> = {}): Promise<Passport> {
  const prepared: Prepared = JSON.parse(process.env[preparedVariable] ?? '')
  const dataDir = copyOf(prepared.dataDir)
  const port = await freePort()
  const url = `http://localhost:${port}`
  const harbour = await startOidcProvider({ ...harbourClient, redirectUri: `${url}/login/callback/harbour` })
  const mail = await startMailServer()
  const providers = [
    local,
    { id: 'harbour', kind: 'oidc', name: 'Harbour ID', issuer: harbour.issuer, ...harbourClient, signUp: 'open' },
  ]
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    SMTP_URL: mail.smtpUrl,
    MAIL_FROM: 'Stage Passport <passport@stage.example>',
    IDENTITY_PROVIDERS: JSON.stringify(providers),
    ...env,
  }
  const server = await runServer(settings)
  const passwords = new Map([['max', prepared.passwordOfMax]])
  return {
    url,
    mail,
    passwordOf: (who) => passwords.get(who) ?? prepared.passwordOfCast,
    add: async (who, displayName) => void passwords.set(who, (await addPerson(who, displayName, settings)).password),
    stop: async () => {
      server.kill('SIGTERM')
      await server.ended
      await harbour.stop()
      await mail.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function addPerson(who: string, displayName: string, settings: Record<string, string>) {
  const args = [who, '--add', displayName, `${who}@passport.example`]
  const { output } = await run('commands/password.ts', args, settings).ended
  return { output, password: /is now {2}(\S+)/.exec(output)?.[1] ?? '' }
}

/** A directory that the user of the embedded PostgreSQL can pass. */
function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-e2e-'))
  chmodSync(dataDir, 0o755)
  return dataDir
}

/** A copy with the same owners and modes: PostgreSQL does not start on tables of another user. */
function copyOf(dataDir: string): string {
  if (!existsSync(join(dataDir, 'postgres', 'tables')))
    throw new Error(`The tables are not in ${dataDir}: set TMPDIR to a directory that every user can pass.`)
  const copy = makeDataDir()
  execFileSync('cp', ['-a', `${dataDir}/.`, copy])
  return copy
}
