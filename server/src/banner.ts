import type { Config } from './config.ts'
import { cast } from './database/cast.ts'
import type { Log } from './http/log.ts'

interface Started {
  config: Config
  log: Log
  /** The password of the demonstration people, on the first start only. */
  password: string | undefined
  home: string | undefined
  seconds: number
}

/** Tells whoever started the server what to do with it: readably where it is a person's own machine, else as a log line. */
export function showWelcome({ config, log, password, home, seconds }: Started): void {
  if (config.isLoopback && config.logLevel !== 'silent') console.log(welcome(config, seconds, password, home))
  log.info({ publicUrl: config.publicUrl, seconds: Number(seconds.toFixed(2)) }, 'ready')
}

function welcome(config: Config, seconds: number, password: string | undefined, home: string | undefined): string {
  return [
    '',
    `  ${config.brandName} is ready at ${config.publicUrl}   (${seconds.toFixed(1)} s)`,
    '',
    ...(password
      ? firstStart(password)
      : ['  Everything from before is still here. A new password: npm run password -- ada']),
    '',
    `  Data lives in ${home ?? 'the database of DATABASE_URL'}${home ? ' (npm run reset deletes it)' : ''}`,
    '',
    '  Try next',
    `    1. Open ${config.publicUrl} and sign in as ada`,
    `    2. Save a preference at ${config.publicUrl}/app/account/preferences`,
    `    3. Read the API at ${config.publicUrl}/passport/openapi.json`,
    '',
  ].join('\n')
}

function firstStart(password: string): string[] {
  const people = cast.map(({ name, roles }) => `    ${name}   ${roles.length > 0 ? roles.join(', ') : 'no role'}`)
  return ['  Three people can sign in', ...people, '', `  The password of all three, shown this once:  ${password}`]
}
