import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { demoUsers } from './seed/demo-users.ts'

interface StartSummary {
  config: Config
  log: Log
  /** The password of the demo users, on the first start only. */
  password: string | undefined
  home: string | undefined
  seconds: number
}

/** Shows how to use the started server: as text on a loopback installation, otherwise as a log line. */
export function showWelcome({ config, log, password, home, seconds }: StartSummary): void {
  if (config.isLoopback && config.logLevel !== 'silent') console.log(formatWelcome(config, seconds, password, home))
  // Browsers reach https through a proxy, whose own address then stands for every client.
  if (config.publicUrl.startsWith('https:') && config.trustedProxies.length === 0)
    log.warn(
      'TRUSTED_PROXIES is not set: all clients behind a proxy share one address in rate limits and in the audit log',
    )
  log.info({ publicUrl: config.publicUrl, seconds: Number(seconds.toFixed(2)) }, 'ready')
}

function formatWelcome(
  config: Config,
  seconds: number,
  password: string | undefined,
  home: string | undefined,
): string {
  return [
    '',
    `  ${config.brandName} is ready at ${config.publicUrl}   (${seconds.toFixed(1)} s)`,
    '',
    ...(password
      ? formatFirstStart(password)
      : ['  Existing data was kept. To set a new password: npm run password -- ada']),
    '',
    `  Data is stored in ${home ?? 'the database of DATABASE_URL'}${home ? ' (npm run reset deletes it)' : ''}`,
    '',
    '  Try next, signed in as ada',
    `    Get a token for the API         ${config.publicUrl}/app/developer/tokens`,
    '    Sign users in from your app     docs/guide/your-first-client.md',
    `    Invite somebody                 ${config.publicUrl}/app/admin/users/invitations/create`,
    `    See why somebody has access     ${config.publicUrl}/app/admin/tools/permissions (load the sample there)`,
    '',
  ].join('\n')
}

function formatFirstStart(password: string): string[] {
  const people = demoUsers.map(({ name, roles }) => `    ${name}   ${roles.length > 0 ? roles.join(', ') : 'no role'}`)
  return ['  Three demo users can sign in', ...people, '', `  Their password, shown only once:  ${password}`]
}
