// `npm run world`: Passport, connected to other companies that run on this machine, so that everything can be tried by hand.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startMailServer } from './mail.ts'
import { people } from './oidc-provider/people.ts'
import { startOidcProvider } from './oidc-provider/provider.ts'
import { nodeFlags } from './process.ts'
import { startRegistrar } from './registrar.ts'

const port = Number(process.env['PORT'] || 3000)
const passportUrl = process.env['PUBLIC_URL'] || `http://localhost:${port}`
const harbourClient = { clientId: 'passport', clientSecret: 'known-to-everyone-who-reads-this-file' }

const harbour = await startOidcProvider({
  ...harbourClient,
  port: port + 1,
  redirectUri: `${passportUrl}/login/callback/harbour`,
})
const mail = await startMailServer({ port: port + 2 })
const registrar = await startRegistrar({ port: port + 3 })
console.log(`
  The world around Passport

  Harbour ID, an identity provider: ${harbour.issuer}
    ${people.map(({ name }) => name).join(', ')}; any other name is a new person. No passwords, and on
    its page one may ask it to go wrong.

  A mail server, which keeps what Passport sends: ${mail.url}

  A registrar, where every domain is yours, to prove one of an organisation: ${registrar.url}
`)
const passport = spawn(
  process.execPath,
  [...nodeFlags, fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      DATA_DIR: process.env['DATA_DIR'] || '.passport/world',
      SMTP_URL: mail.smtpUrl,
      DNS_RESOLVER: registrar.nameServer,
      MAIL_FROM: `Stage Passport <passport@stage.example>`,
      IDENTITY_PROVIDERS: JSON.stringify([
        { id: 'local', kind: 'local', name: 'Passport' },
        { id: 'harbour', kind: 'oidc', name: 'Harbour ID', issuer: harbour.issuer, ...harbourClient, signUp: 'open' },
      ]),
    },
  },
)

// A terminal sends Ctrl-C to Passport as well; the world goes when Passport has gone.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => passport.kill('SIGTERM'))
passport.once(
  'exit',
  (code) => void Promise.all([harbour.stop(), mail.stop(), registrar.stop()]).then(() => process.exit(code ?? 1)),
)
