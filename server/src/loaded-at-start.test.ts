import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** What few installations need, and what would make the start of all of them longer and their memory larger. */
const seldomNeeded = ['@bufbuild/cel', '@bufbuild/protobuf', '@bufbuild/re2', 'yaml', '@authzed/authzed-node']

/** Loads the whole server, and tells every specifier that was asked for on the way. */
const program = `
  import { registerHooks } from 'node:module'
  const asked = new Set()
  registerHooks({ resolve: (specifier, context, next) => (asked.add(specifier), next(specifier, context)) })
  await import(process.argv[1])
  console.log(JSON.stringify([...asked]))`

test('what few installations need is not loaded before it is needed', () => {
  const assembly = fileURLToPath(new URL('assemble.ts', import.meta.url))
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program, assembly], {
    encoding: 'utf8',
  })
  const asked: string[] = JSON.parse(output)
  expect(asked).toContain('@passport/permissions/compile-as-needed')
  const isSeldomNeeded = (asked: string) => seldomNeeded.some((name) => asked === name || asked.startsWith(`${name}/`))
  expect(asked.filter(isSeldomNeeded)).toEqual([])
})
