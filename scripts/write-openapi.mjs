import { writeFileSync } from 'node:fs'
import { createOpenApiDocument } from '../contract/src/openapi.ts'

const document = createOpenApiDocument({ title: 'Passport', version: 'v1' })
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
