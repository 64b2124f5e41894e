import { writeFileSync } from 'node:fs'
import { renderDocument } from './document.ts'

writeFileSync(new URL('../../../docs/errors.md', import.meta.url), renderDocument())
