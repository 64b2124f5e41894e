import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Modules that few installations need, and that would cost every start time and memory. */
const lazyPackages = ['@bufbuild/cel', '@bufbuild/protobuf', '@bufbuild/re2', 'yaml', '@authzed/authzed-node']

/** Loads the whole server and prints every imported specifier. */
const program = `
  import { registerHooks } from 'node:module'
  const asked = new Set()
  registerHooks({ resolve: (specifier, context, next) => (asked.add(specifier), next(specifier, context)) })
  await import(process.argv[1])
  console.log(JSON.stringify([...asked]))`

test('rarely needed modules are loaded on demand', () => {
  const assembly = fileURLToPath(new URL('assemble.ts', import.meta.url))
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program, assembly], {
    encoding: 'utf8',
  })
  const imported: string[] = JSON.parse(output)
  expect(imported).toContain('@passport/permissions')
  const isLazyPackage = (specifier: string) =>
    lazyPackages.some((name) => specifier === name || specifier.startsWith(`${name}/`))
  expect(imported.filter(isLazyPackage)).toEqual([])
})
