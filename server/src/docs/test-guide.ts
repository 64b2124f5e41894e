import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

/** The code blocks of a guide, in order. */
export interface GuideBlocks {
  /** Returns the next block, which must have this language. */
  take: (language: string) => string
  /** Returns the first lines of the blocks that were not taken. */
  listLeft: () => string[]
}

/** Returns the source of a guide. */
export const readGuideText = (name: string): string =>
  readFileSync(new URL(`../../../docs/guide/${name}.md`, import.meta.url), 'utf8')

/** Reads the code blocks of a guide. */
export function readGuideBlocks(name: string): GuideBlocks {
  const text = readGuideText(name)
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
  return {
    take: (language) => {
      const block = blocks.shift()
      if (block?.language !== language)
        throw new Error(`The next block of ${name} is ${block?.language}: ${block?.code}`)
      return block.code
    },
    listLeft: () => blocks.map(({ code }) => code.split('\n')[0] ?? ''),
  }
}

/** Executes a block in a shell that stops at the first error; returns its output. */
export async function runShell(code: string, environment: Record<string, string>, folder?: string): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const { stdout } = await promisify(execFile)('sh', ['-euc', code], {
    cwd: folder,
    env: { PATH, HOME, ...environment },
  })
  return stdout
}
