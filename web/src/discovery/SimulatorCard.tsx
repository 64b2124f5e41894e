import { type SignInDecision, simulateSignIns } from '@passport/contract/tenant-discovery'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { findFieldError } from '../app/field-errors.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { RulePath, SimulatedPath } from './SimulatedPath.tsx'
import { SimulationTable } from './SimulationTable.tsx'

/** The maximum of addresses in one simulation. */
const maxEmails = 200

/** Simulates the sign-in of one user, or of a list, by the rules of the sign-in page; at once that of the page's question. */
export function SimulatorCard({ question }: { question: string }) {
  const [text, setText] = useState(question)
  const emails = [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
  const simulation = useMutation({
    mutationFn: (emails: string[]) => call(simulateSignIns, { body: { emails } }),
  })
  const { mutate } = simulation
  useEffect(() => {
    if (question !== '') mutate([question])
  }, [question, mutate])
  const tooMany = emails.length > maxEmails && `Up to ${maxEmails} at a time. This list has ${emails.length}.`
  const fieldError = tooMany || findFieldError(simulation.error, 'emails')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (emails.length > 0 && !tooMany) simulation.mutate(emails)
  }
  return (
    <Card title="Simulate sign-ins" description="By the rules of the sign-in page. Nobody is signed in.">
      <form onSubmit={submit} className="grid gap-3 px-4 pt-1 pb-[18px] sm:px-[18px]">
        <TextArea
          label="Email addresses"
          hint={`One per line, up to ${maxEmails}`}
          error={fieldError || undefined}
          rows={3}
          spellCheck={false}
          autoCapitalize="none"
          className="max-h-60 max-w-[560px] [field-sizing:content]"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            if (simulation.error) simulation.reset()
          }}
        />
        <Button
          type="submit"
          className="justify-self-start"
          isBusy={simulation.isPending}
          disabled={emails.length === 0}
        >
          Simulate
        </Button>
      </form>
      {simulation.error && !fieldError && (
        <ErrorCard
          failure={toFailure(simulation.error, 'simulate the sign-in')}
          onRetry={() => simulation.mutate(emails)}
        />
      )}
      {!simulation.data && !simulation.error && (
        <div className="border-t border-hair pt-3">
          <h3 className="px-4 text-[13px] text-ink2 sm:px-[18px]">The rules, in this order</h3>
          <RulePath />
        </div>
      )}
      <div role="status" className={simulation.data ? 'border-t border-hair' : ''}>
        {simulation.data && <Simulation results={simulation.data} />}
      </div>
    </Card>
  )
}

function Simulation({ results }: { results: SignInDecision[] }) {
  const [only] = results
  if (only && results.length === 1) return <SimulatedPath result={only} />
  return <SimulationTable results={results} />
}
