import { ApiError } from '@passport/contract/call'
import type { TenantDiscovery } from '@passport/contract/tenant-discovery'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { toFailure } from '../app/api.ts'
import { findFieldError } from '../app/field-errors.ts'
import { PageMenu } from '../directory/PageMenu.tsx'
import { CloudRows, CloudRowsPending } from '../entra/CloudRows.tsx'
import { TenantSearch } from '../entra/TenantSearch.tsx'
import { listHits } from '../entra/tenant.ts'
import { useDiscovery } from '../entra/use-discovery.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { ToolHeader } from '../ui/ToolHeader.tsx'
import { FailuresCard } from './FailuresCard.tsx'
import { HitCard } from './HitCard.tsx'
import { SimulatorCard } from './SimulatorCard.tsx'

const examples = ['contoso.com', 'ana@contoso.com']

/** Finds the tenant of a domain in every cloud, and simulates sign-ins; the question is in the URL. */
export function TenantDiscoveryPage() {
  const { q: asked } = useSearch({ strict: false }) as { q?: unknown }
  const q = typeof asked === 'string' ? asked.trim() : ''
  const navigate = useNavigate()
  const { answer, askAgain, isAsking } = useDiscovery(q)
  const fieldError = findDomainError(answer.error)
  const ask = (text: string) => {
    if (text === q) void askAgain()
    else void navigate({ to: '.', search: { q: text } as never, resetScroll: false })
  }
  const isPending = q !== '' && answer.isLoading
  const found = answer.error ? undefined : answer.data
  return (
    <div>
      <ToolHeader
        title="Tenant discovery"
        description="Find the Microsoft tenant of a customer, and test how its users sign in."
        menu={<PageMenu />}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <div className="card px-4 py-4 sm:px-[18px]">
          <TenantSearch
            q={q}
            error={fieldError}
            isBusy={isPending || isAsking}
            isPrimary={!found || listHits(found).length !== 1}
            onAsk={ask}
          />
          {q === '' && (
            <div className="mt-3 flex flex-wrap items-center gap-x-2.5 gap-y-2 text-[13px] text-ink2">
              <span>Try</span>
              <ul aria-label="Examples" className="flex flex-wrap gap-2">
                {examples.map((q) => (
                  <li key={q}>
                    <Link to="." search={{ q } as never} className="btn btn-small">
                      {q}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
        <p role="status" className="sr-only">
          {found && summarize(found)}
        </p>
        {answer.error && !fieldError && !isPending && (
          <ErrorCard failure={toFailure(answer.error, 'find the tenant')} onRetry={() => void askAgain()} />
        )}
        {isPending && (
          <Card title="Clouds" description="Up to 5 seconds">
            <CloudRowsPending />
          </Card>
        )}
        {found && <Answer data={found} isAsking={isAsking} onAskAgain={() => void askAgain()} />}
        {/* Shown with the answer, which would move it. */}
        <div hidden={isPending}>
          <SimulatorCard key={q} question={fieldError ? '' : q} />
        </div>
      </div>
    </div>
  )
}

/** Returns the sentence for a text that is no domain, email address or id. */
function findDomainError(error: unknown): string | undefined {
  const isInvalid = error instanceof ApiError && error.status === 400
  return isInvalid ? (findFieldError(error, 'q') ?? toFailure(error).detail) : undefined
}

function summarize(data: TenantDiscovery): string {
  const hits = listHits(data).length
  return hits === 0 ? 'No tenant found' : `Found in ${hits === 1 ? 'one cloud' : `${hits} clouds`}`
}

interface AnswerProps {
  data: TenantDiscovery
  /** The clouds are asked again; the former answer stays. */
  isAsking: boolean
  onAskAgain: () => void
}

function Answer({ data, isAsking, onAskAgain }: AnswerProps) {
  const { results, ambiguous, normalizedDomain, asOf } = data
  const hits = listHits(data)
  return (
    <>
      <Card
        title="Clouds"
        description={
          <>
            As of <RelativeTime at={asOf} inSentence />
          </>
        }
        action={
          <Button isSmall isBusy={isAsking} onClick={onAskAgain}>
            Ask again
          </Button>
        }
      >
        {ambiguous && (
          <p className="mx-4 mb-2 flex gap-2.5 rounded-ctl bg-well p-3 sm:mx-[18px]">
            <TriangleAlert size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden="true" />
            Several clouds have this domain. Ask the customer which one their users sign in to.
          </p>
        )}
        <CloudRows results={results} />
      </Card>
      {hits.map((hit) => (
        <HitCard key={hit.cloud} hit={hit} domain={normalizedDomain} isOnly={hits.length === 1} />
      ))}
      <FailuresCard data={data} />
    </>
  )
}
