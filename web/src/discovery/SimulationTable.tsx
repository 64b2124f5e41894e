import type { SignInDecision } from '@passport/contract/tenant-discovery'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useProviderName } from '../app/provider-names.ts'
import { saveCsv } from '../app/save-csv.ts'
import { Button } from '../ui/Button.tsx'
import { Status } from '../ui/Status.tsx'
import { Table, TableCell, TableRow } from '../ui/Table.tsx'
import { describeOutcome, nameDecisionReason } from './outcomes.ts'
import { SimulatedPath } from './SimulatedPath.tsx'

/** The outcomes of a list of email addresses; the steps of one are shown on request. */
export function SimulationTable({ results }: { results: SignInDecision[] }) {
  const [opened, setOpened] = useState<string>()
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3 sm:px-[18px]">
        <p className="font-[560]">{results.length} addresses</p>
        <Button isSmall onClick={() => download(results)}>
          <Download size={15} aria-hidden="true" />
          Download CSV
        </Button>
      </div>
      <Table
        caption="Simulated sign-ins"
        isFixed
        header={
          <>
            <th>Email</th>
            <th className="w-[170px]">Outcome</th>
            <th className="w-[24%]">Signs in at</th>
            <th className="w-[30%]">Reason</th>
          </>
        }
      >
        {results.map((result) => (
          <Rows
            key={result.email}
            result={result}
            isOpen={opened === result.email}
            onToggle={() => setOpened(opened === result.email ? undefined : result.email)}
          />
        ))}
      </Table>
    </>
  )
}

interface RowsProps {
  result: SignInDecision
  isOpen: boolean
  onToggle: () => void
}

function Rows({ result, isOpen, onToggle }: RowsProps) {
  const [tone, label] = describeOutcome(result)
  const nameProvider = useProviderName()
  const target = result.outcome === 'entra' ? result.org?.name : result.provider && nameProvider(result.provider)
  return (
    <>
      <TableRow>
        <TableCell>
          <button
            type="button"
            aria-expanded={isOpen}
            className="max-w-full truncate text-left hover:underline pointer-coarse:min-h-11"
            title={result.email}
            onClick={onToggle}
          >
            {result.email}
          </button>
        </TableCell>
        <TableCell>
          <Status tone={tone}>{label}</Status>
        </TableCell>
        <TableCell className="truncate max-sm:empty:hidden">{target}</TableCell>
        <TableCell className="text-ink2 max-sm:empty:hidden">{nameDecisionReason(result)}</TableCell>
      </TableRow>
      {isOpen && (
        <TableRow className="border-t-0">
          <TableCell colSpan={4} className="p-0!">
            <SimulatedPath result={result} />
          </TableCell>
        </TableRow>
      )}
    </>
  )
}

const download = (results: SignInDecision[]) =>
  saveCsv('simulated-sign-ins.csv', [
    ['email', 'outcome', 'organisation', 'provider', 'tenant', 'reason'],
    ...results.map(({ email, outcome, org, provider, tenantId, reason }) => [
      email,
      outcome,
      org?.name ?? '',
      provider ?? '',
      tenantId ?? '',
      reason ?? '',
    ]),
  ])
