// `npm run feature groups`: lists the files of a feature in the order in which a request passes through them.
import { globSync } from 'node:fs'

const feature = process.argv[2]
const patterns = [
  'contract/src/{feature}*.ts',
  'web/src/{feature}/*',
  'web/src/{singular}-*/*',
  'server/src/{feature}/routes.ts',
  'server/src/{feature}/*',
  'server/migrations/*_{table}.sql',
  'e2e/{feature}*.ts',
]
const files = new Set(
  patterns.flatMap((pattern) =>
    globSync(
      pattern
        .replace('{feature}', feature)
        .replace('{singular}', feature?.replace(/s$/, ''))
        .replace('{table}', feature?.replaceAll('-', '_')),
    ),
  ),
)
console.log(feature && files.size > 0 ? [...files].join('\n') : 'npm run feature -- <name>, such as preferences')
