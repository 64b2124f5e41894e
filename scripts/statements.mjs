// Finds the SQL of the server that no test has executed.
import { globSync, readFileSync } from 'node:fs'

const sourceRoot = new URL('../server/src/', import.meta.url).pathname

/** Returns the templates of SQL, as `{ file, line, chunks }`, that are not a part of any of the executed statements. */
export function findUnexecuted(statements) {
  const files = globSync('**/*.ts', { cwd: sourceRoot }).filter((file) => !/(?:^|\/)test-|\.test\.ts$/.test(file))
  const templates = files.flatMap((file) => extractTemplates(file, readFileSync(sourceRoot + file, 'utf8')))
  return {
    count: templates.length,
    unexecuted: templates.filter(({ chunks }) => !statements.some((statement) => containsInOrder(statement, chunks))),
  }
}

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
    return { file, line: code.slice(0, match.index).split('\n').length, chunks }
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
