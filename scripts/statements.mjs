// Finds the functions of the server with SQL that no test has executed.
import { globSync, readFileSync } from 'node:fs'

const sourceRoot = new URL('../server/src/', import.meta.url).pathname

/** Functions that tests execute in other processes, whose statements are not recorded. */
const functionsOfOtherProcesses = [
  'database/check.ts isBehindPooler',
  'database/embedded-roles.ts canConnect',
  'database/embedded-roles.ts exists',
  'database/embedded-roles.ts isPrepared',
  'local-directory/store.ts removeDemoUsers',
]

/**
 * Returns the functions, as `file name`, none of whose SQL templates is a part of an executed statement. Single
 * templates of a function may depend on chance, such as the conditions of an arbitrary filter.
 */
export function findUnexecuted(statements) {
  const files = globSync('**/*.ts', { cwd: sourceRoot }).filter((file) => !/(?:^|\/)test-|\.test\.ts$/.test(file))
  const templates = files.flatMap((file) => extractTemplates(file, readFileSync(sourceRoot + file, 'utf8')))
  const functions = Map.groupBy(templates, ({ file, name }) => `${file} ${name}`)
  const isExecuted = ({ chunks }) => statements.some((statement) => containsInOrder(statement, chunks))
  const unexecuted = [...functions].filter(([, parts]) => !parts.some(isExecuted)).map(([name]) => name)
  return { count: functions.size, unexecuted: unexecuted.filter((name) => !functionsOfOtherProcesses.includes(name)) }
}

const declaration = /^(?:export )?(?:async )?(?:function\*? |const |class )(\w+)/gm

/** Returns the name of the last top-level declaration before a place in the code. */
const findDeclaration = (code) => [...code.matchAll(declaration)].at(-1)?.[1] ?? ''

/** Extracts the tagged templates of a file; `chunks` is the text between the `${values}`. */
function extractTemplates(file, code) {
  return [...code.matchAll(/\bsql(?:<[^`;]*?>)?`/g)].map((match) => {
    const chunks = ['']
    let index = match.index + match[0].length
    for (; code[index] !== '`'; index++) {
      if (code[index] === '$' && code[index + 1] === '{') {
        index = findExpressionEnd(code, index + 1)
        chunks.push('')
      } else if (code[index] === '\\') chunks[chunks.length - 1] += code[++index]
      else chunks[chunks.length - 1] += code[index]
    }
    return { file, name: findDeclaration(code.slice(0, match.index)), chunks }
  })
}

function findExpressionEnd(code, start) {
  let depth = 0
  for (let index = start; ; index++) {
    if (code[index] === '{') depth++
    if (code[index] === '}' && --depth === 0) return index
  }
}

function containsInOrder(statement, chunks) {
  let index = 0
  for (const chunk of chunks) {
    index = statement.indexOf(chunk, index)
    if (index < 0) return false
    index += chunk.length
  }
  return true
}
