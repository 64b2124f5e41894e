// `npm run room groups`: the files of a room in the order in which a request walks through them.
import { globSync } from 'node:fs'

const room = process.argv[2]
const walk = [
  'contract/src/{room}*.ts',
  'web/src/{room}/*',
  'server/src/{room}/routes.ts',
  'server/src/{room}/*',
  'server/migrations/*_{table}.sql',
  'e2e/{room}*.ts',
]
const files = new Set(
  walk.flatMap((pattern) => globSync(pattern.replace('{room}', room).replace('{table}', room?.replaceAll('-', '_')))),
)
console.log(room && files.size > 0 ? [...files].join('\n') : 'npm run room -- <name>, such as preferences')
