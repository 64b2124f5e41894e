import { Card } from '../ui/Card.tsx'
import { Step } from '../ui/Step.tsx'

/** What happens after a record is created, in the rail of its page. */
export function WhatFollows({ steps }: { steps: [title: string, detail: string][] }) {
  return (
    <Card title="What happens next">
      <ol className="grid gap-3.5 px-4 pt-1 pb-[18px] sm:px-[18px]">
        {steps.map(([title, detail], index) => (
          <Step key={title} number={index + 1} title={title}>
            <p className="text-[13px] text-ink2">{detail}</p>
          </Step>
        ))}
      </ol>
    </Card>
  )
}
