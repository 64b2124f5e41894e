import type { UserSignIns } from '@passport/contract/users'
import { Card } from '../ui/Card.tsx'
import { DayChart } from '../ui/DayChart.tsx'
import { describeSignIns, groupByWeek } from './sign-in-days.ts'

/** A user's sign-ins per day, with a table of weeks. */
export function SignInStrip({ days }: { days: UserSignIns['days'] }) {
  const counts = days.map(({ day, succeeded, failed }) => ({ day, count: succeeded, failed }))
  return (
    <Card title={`Sign-ins, last ${days.length} days`}>
      <div className="px-4 pb-2 sm:px-[18px]">
        <DayChart
          name="Sign-ins by week, in UTC"
          label={describeSignIns(days)}
          names={{ count: 'Succeeded', failed: 'Failed' }}
          days={counts}
          height={56}
          table={{ header: 'Week from', rows: groupByWeek(counts) }}
        />
      </div>
    </Card>
  )
}
