import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
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

const harbourClient = { clientId: 'passport', clientSecret: 'the-secret-of-the-tests-at-harbour' }

/** Starts it as `npm start` does, on an empty data directory, with `max` beside the demonstration people. */
export async function startPassport(env: Record<string, string> = {}): Promise<Passport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-e2e-'))
  chmodSync(dataDir, 0o755)
  const port = await freePort()
  const url = `http://localhost:${port}`
  const harbour = await startOidcProvider({ ...harbourClient, redirectUri: `${url}/login/callback/harbour` })
  const mail = await startMailServer()
  const providers = [
    { id: 'local', kind: 'local', name: 'Passport' },
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
  const passwords = new Map<string, string>()
  const add = async (who: string, displayName: string) => {
    const added = await run('commands/password.ts', [who, '--add', displayName, `${who}@passport.example`], settings)
      .ended
    passwords.set(who, /is now {2}(\S+)/.exec(added.output)?.[1] ?? '')
    return added.output
  }
  await makeAdmin(await add('max', 'Max Weber'), settings)
  return {
    url,
    mail,
    passwordOf: (who) => passwords.get(who) ?? server.password,
    add: async (who, displayName) => void (await add(who, displayName)),
    stop: async () => {
      server.kill('SIGTERM')
      await server.ended
      await harbour.stop()
      await mail.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Makes an administrator of whom the command has just added: it tells how. */
async function makeAdmin(told: string, settings: Record<string, string>) {
  const [, issuer = '', subject = ''] = /admin -- grant (\S+) (\S+)/.exec(told) ?? []
  await run('commands/admin.ts', ['grant', issuer, subject], settings).ended
}
