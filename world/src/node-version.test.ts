import { expect, test } from 'vitest'
import { explainVersion } from './node-version.ts'

test('a Node.js older than that of the repository is explained in one line', () => {
  expect(explainVersion(process.version, 'vitest')).toBeUndefined()
  expect(explainVersion('v100.0.0', 'vitest')).toBeUndefined()
  expect(explainVersion('v20.20.2', 'vitest')).toMatch(
    /^Node \d\d or later is required, and this is v20\.20\.2\. .* npx vitest$/,
  )
})
