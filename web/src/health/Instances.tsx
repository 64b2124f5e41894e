import type { Instance } from '@passport/contract/health'
import { Card } from '../ui/Card.tsx'
import { useNow } from '../ui/use-now.ts'
import { formatMegabytes, formatMs, formatUptime } from './words.ts'

/** The running servers. */
export function Instances({ instances }: { instances: Instance[] }) {
  const now = useNow()
  return (
    <Card title="Instances" action={<span className="text-[13px] text-ink2">{instances.length} running</span>}>
      {instances.length === 0 && (
        <p className="px-4 pb-4 text-ink2 sm:px-[18px]">No server has reported within a minute</p>
      )}
      {instances.length > 0 && (
        <table className="w-full table-fixed text-[14px] [&_td]:px-2 [&_td]:py-2.5 [&_td]:text-right [&_td]:whitespace-nowrap [&_td]:tabular-nums [&_th]:px-2 [&_tr>*:first-child]:pl-4 [&_tr>*:last-child]:pr-4 sm:[&_tr>*:first-child]:pl-[18px] sm:[&_tr>*:last-child]:pr-[18px]">
          <thead className="text-[12px] text-ink2 [&_th]:pb-1.5 [&_th]:text-left [&_th]:font-[450] [&_th+th]:text-right">
            <tr>
              <th scope="col" className="w-2/5">
                Instance
              </th>
              <th scope="col" className="max-sm:hidden">
                Version
              </th>
              <th scope="col">Memory</th>
              <th scope="col">Loop lag</th>
              <th scope="col">Uptime</th>
            </tr>
          </thead>
          <tbody>
            {instances.map(({ id, version, commit, rssBytes, eventLoopLagMs, startedAt }) => (
              <tr key={id} className="border-t border-hair">
                <th scope="row" className="truncate text-left font-mono text-[13px] font-[450]" title={id}>
                  {id}
                </th>
                <td className="max-sm:hidden" title={commit ? `Commit ${commit}` : undefined}>
                  {version}
                </td>
                <td>{formatMegabytes(rssBytes)}</td>
                <td>{formatMs(eventLoopLagMs)}</td>
                <td title={`Started ${new Date(startedAt).toLocaleString('en-GB')}`}>{formatUptime(startedAt, now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
