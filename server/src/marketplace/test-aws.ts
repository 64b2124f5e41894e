import { onFileEnd } from '../test-cleanups.ts'

/** Sets the variables of the AWS SDK, which reads them from the process, until the end of the test file. */
export function setAwsVariables(variables: Record<string, string>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  onFileEnd(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
}
