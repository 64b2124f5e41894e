import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { demoUsers } from './seed/demo-users.ts'

interface StartSummary {
  config: Config
  log: Log
  /** The password of the demo users, on the first start only. */
  password: string | undefined
  /** The directory of the embedded database; undefined with a DATABASE_URL. */
  databaseDirectory: string | undefined
  /** The duration of the start. */
  seconds: number
}

/** Shows how to use the started server: as text on a loopback installation, otherwise as a log line. */
export function showWelcome(summary: StartSummary): void {
  const { config, log, seconds } = summary
  if (config.isLoopback && config.logLevel !== 'silent') console.log(formatWelcome(summary))
  // Browsers reach https through a proxy. Without this setting, every client has the address of the proxy.
  if (config.publicUrl.startsWith('https:') && config.trustedProxies.length === 0)
    log.warn(
      'TRUSTED_PROXIES is not set: all clients behind a proxy share one address in rate limits and in the audit log',
    )
  log.info({ publicUrl: config.publicUrl, seconds: Number(seconds.toFixed(2)) }, 'ready')
}

function formatWelcome({ config, password, databaseDirectory: directory, seconds }: StartSummary): string {
  return [
    '',
    `  ${config.brandName} is ready at ${config.publicUrl}   (${seconds.toFixed(1)} s)`,
    '',
    ...(password
      ? formatFirstStart(password)
      : ['  Existing data was kept. To set a new password: npm run password -- ada']),
    '',
    `  Data is stored in ${directory ? `${directory} (npm run reset deletes it)` : 'the database of DATABASE_URL'}`,
    '',
    '  Try next, signed in as ada',
    `    Get a token for the API         ${config.publicUrl}/app/developer/tokens`,
    '    Sign users in from your app     docs/guide/your-first-client.md',
    `    Invite a user                   ${config.publicUrl}/app/admin/users/invitations/create`,
    `    See why a user has access       ${config.publicUrl}/app/admin/tools/permissions (load the sample there)`,
    '    Try everything in a demo world  npm run world',
    '',
  ].join('\n')
}

function formatFirstStart(password: string): string[] {
  const users = demoUsers.map(({ name, roles }) => `    ${name}   ${roles.length > 0 ? roles.join(', ') : 'no role'}`)
  return ['  Three demo users can sign in', ...users, '', `  Their password, shown only once:  ${password}`]
}
