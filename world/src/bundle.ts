import { build, type Plugin } from 'vite'

/** One module with all that it needs, minified, as an application would bundle it; `plugins` may tell what it is. */
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
  if (!('output' in built)) throw new Error('Nothing was built')
  return built.output[0].code
}
