import type { ReactNode } from 'react'
import { Status, type Tone } from '../ui/Status.tsx'
import { type CloudAnswer, nameCloud } from './tenant.ts'

function describe({ configured, found }: CloudAnswer): [Tone, label: string] {
  if (!configured) return ['off', 'Not configured']
  if (found === null) return ['bad', 'Unreachable']
  return found ? ['ok', 'Found'] : ['off', 'Not found']
}

const errors: Record<string, string> = {
  timeout: 'No answer within 5 seconds',
  unreachable: 'No connection',
  answer_invalid: 'The answer is not that of Microsoft Entra',
}

/** Returns the error of a cloud that did not answer. */
function explain({ configured, found, error }: CloudAnswer): string | undefined {
  if (!configured || found !== null) return undefined
  return errors[error] ?? `Error ${error.replace('http_', '')}`
}

/** The answer of each cloud, one row each. */
export function CloudRows({ results }: { results: CloudAnswer[] }) {
  return (
    <ul>
      {results.map((result) => {
        const [tone, label] = describe(result)
        return (
          <CloudRow
            key={result.cloud}
            name={nameCloud(result.cloud)}
            detail={[explain(result), hostOf(result.authority)].filter(Boolean).join(' · ')}
            aside={<Status tone={tone}>{label}</Status>}
          />
        )
      })}
    </ul>
  )
}

/** Rows of the same height as the answers. */
export function CloudRowsPending() {
  return (
    <div aria-busy="true">
      <span className="sr-only">Asking every cloud</span>
      <ul aria-hidden="true">
        {[0, 1, 2].map((row) => (
          <CloudRow
            key={row}
            name={<span className="skeleton block h-3.5 w-36" />}
            detail={<span className="skeleton mt-1.5 block h-3 w-48" />}
            aside={<span className="skeleton block h-3.5 w-16" />}
          />
        ))}
      </ul>
    </div>
  )
}

function CloudRow({ name, detail, aside }: { name: ReactNode; detail: ReactNode; aside: ReactNode }) {
  return (
    <li className="flex h-[60px] items-center gap-3 border-t border-hair px-4 first:border-0 sm:px-[18px]">
      <div className="min-w-0 flex-1 leading-snug">
        <p className="truncate">{name}</p>
        <p className="truncate text-[13px] text-ink3">{detail}</p>
      </div>
      {aside}
    </li>
  )
}

const hostOf = (authority: string) => (URL.canParse(authority) ? new URL(authority).host : authority)
