import type { CheckRequest } from '@passport/contract/permission-terms'
import { listAssertions } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { query } from '../app/api.ts'

/** The questions of saved assertions: examples for a tool that has no question yet. */
export function useSavedQuestions(): CheckRequest[] {
  const { data } = useQuery(query(listAssertions, {}))
  return data?.items.flatMap(({ assertion }) => ('question' in assertion ? [assertion.question] : [])) ?? []
}

interface Example {
  /** The question in the URL. */
  search: object
  content: ReactNode
}

const maxExamples = 5

/** The first examples as links, each once. */
export function Examples({ examples }: { examples: readonly Example[] }) {
  const distinct = new Map(examples.map((example) => [JSON.stringify(example.search), example]))
  if (distinct.size === 0) return null
  return (
    <ul aria-label="Examples" className="mx-auto mt-4 grid gap-2 text-left sm:w-96">
      {[...distinct].slice(0, maxExamples).map(([key, { search, content }]) => (
        <li key={key} className="min-w-0">
          <Link
            to="."
            search={search as never}
            className="btn h-auto min-h-11 w-full justify-start py-1.5 whitespace-normal"
          >
            {content}
          </Link>
        </li>
      ))}
    </ul>
  )
}
