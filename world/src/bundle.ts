import { build, type Plugin } from 'vite'

/** Bundles a module with its dependencies, minified, as an application would; `plugins` may supply the module. */
export async function bundle(input: string, plugins: Plugin[] = []): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins,
    build: {
      write: false,
      modulePreload: false,
      target: 'es2024',
      rolldownOptions: { input, preserveEntrySignatures: 'strict' },
    },
  })
  if (!('output' in built)) throw new Error('The build has no output')
  return built.output[0].code
}
