import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Packages that few installations need, and that would cost time and memory at every start. */
const lazyPackages = [
  '@bufbuild/cel',
  '@bufbuild/protobuf',
  '@bufbuild/re2',
  'yaml',
  '@authzed/authzed-node',
  '@aws-sdk',
  '@smithy',
  'markdown-it',
  'sanitize-html',
  'pino-pretty',
]

/** Loads the whole server and prints every imported specifier. */
const program = `
  import { registerHooks } from 'node:module'
  const specifiers = new Set()
  registerHooks({ resolve: (specifier, context, next) => (specifiers.add(specifier), next(specifier, context)) })
  await import(process.argv[1])
  console.log(JSON.stringify([...specifiers]))`

test('rarely needed packages are not loaded at the start', () => {
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
