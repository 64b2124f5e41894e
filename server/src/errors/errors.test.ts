import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'
import { errorEntries, findErrors } from './catalogue.ts'
import { renderDocument } from './document.ts'
import { fieldErrors } from './field-errors.ts'

const root = new URL('../../../', import.meta.url).pathname
const read = (file: string) => readFileSync(root + file, 'utf8')
const sources = globSync('server/src/**/*.ts', { cwd: root })
  .filter((file) => !/\.test\.ts$|\/test-[\w-]+\.ts$/.test(file))
  .map((file) => ({ file, text: read(file) }))
const isTable = ({ file }: { file: string }) => basename(file) === 'problems.ts'

test('docs/errors.md is up to date with the tables (`npm run errors` writes it)', () => {
  expect(read('docs/errors.md')).toBe(renderDocument())
})

describe('a problem', () => {
  test('is created only from an entry of a table', () => {
    const creatingFiles = sources.filter(({ text }) => /new Problem\(/.test(text)).map(({ file }) => file)
    expect(creatingFiles).toEqual(['server/src/http/problem.ts'])
    const definingSources = sources.filter(({ text }) =>
      /import \{[^}]*\bproblem\b[^}]*\} from '[./\w]*problem\.ts'/.test(text),
    )
    expect(definingSources.length).toBeGreaterThan(10)
    expect(definingSources.filter((source) => !isTable(source))).toEqual([])
  })

  test('is in the catalogue with the table of its feature', () => {
    const catalogue = read('server/src/errors/catalogue.ts')
    const tables = sources.filter(isTable).map(({ file }) => `'../${file.replace('server/src/', '')}'`)
    expect(tables.length).toBeGreaterThan(10)
    expect(tables.filter((table) => !catalogue.includes(table))).toEqual([])
  })

  test('is used outside its table', () => {
    const used = sources
      .filter((source) => !isTable(source))
      .flatMap(({ text }) => [
        ...[...text.matchAll(/\bproblems\.(\w+)/g)].map(([, name = '']) => name),
        ...[...text.matchAll(/^import \{([^}]*)\} from '[./\w-]*problems\.ts'/gm)].flatMap(([, names = '']) =>
          names.split(/\W+/),
        ),
      ])
    const defined = sources
      .filter(isTable)
      .flatMap(({ text }) => [...text.matchAll(/^export const (\w+)/gm)].map(([, name = '']) => name))
    expect(defined.length).toBeGreaterThan(100)
    expect(defined.filter((name) => !used.includes(name))).toEqual([])
  })

  test('has a code in kebab case, an error status, and full sentences', () => {
    expect(errorEntries.length).toBeGreaterThan(100)
    for (const { code, status, meaning, remedy } of errorEntries) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(status, code).toBeGreaterThanOrEqual(400)
      // The specification has the sentence of this code without a full stop.
      if (code !== 'dev-tokens-unavailable') expect(meaning, code).toMatch(/^[A-Z].*\.$/)
      expect(remedy, code).toMatch(/^[A-Z].*\.$/)
    }
  })
})

test('the code of a field error is documented', () => {
  const isDocumented = (code = '') => code in fieldErrors || findErrors(code).length > 0
  const codes = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bfield: [^;{}]*?code: '([\w-]+)'/g)].map(([, code]) => code),
  )
  expect(codes).toContain('unknown-parameter')
  expect(codes.filter((code) => !isDocumented(code))).toEqual([])
})

test('every code in the contract is a field code', () => {
  const contract = globSync('contract/src/*.ts', { cwd: root, exclude: (name) => name.endsWith('.test.ts') })
  const params = contract.flatMap((file) => [...read(file).matchAll(/\bparams: \{ code[^}]*\}/g)].map(([text]) => text))
  expect(params.length).toBeGreaterThan(5)
  expect(params.filter((text) => !text.includes('satisfies FieldCode') && text !== 'params: { code }')).toEqual([])
})

describe('the page of a code', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })

  test('is at the type of the problem', async () => {
    const { type } = (await (await fetch(`${service.url}/passport/apphelper/user`)).json()) as { type: string }
    const response = await fetch(type)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300'])
    const text = await response.text()
    for (const part of ['not-signed-in', '401 Unauthorized', 'Sign in first.', '<code>Authorization: Bearer</code>'])
      expect(text).toContain(part)
  })

  test('exists for every code, with each of its conditions', async () => {
    for (const code of new Set(errorEntries.map(({ code }) => code))) {
      const response = await fetch(`${service.url}/problems/${code}`)
      const text = await response.text()
      expect([code, response.status]).toEqual([code, 200])
      expect(text.match(/<dt>Status<\/dt>/g)?.length, code).toBe(findErrors(code).length)
    }
  })

  test('responds to HEAD', async () => {
    const response = await fetch(`${service.url}/problems/not-signed-in`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test.for(['no-such-code', 'constructor', '%3Cscript%3E'])('is 404 for the unknown code %s', async (code) => {
    const response = await fetch(`${service.url}/problems/${code}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store'])
    const text = await response.text()
    expect(text).toContain('Unknown error code')
    expect(text).not.toContain('<script>')
  })
})
