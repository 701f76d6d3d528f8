import classes from "./Legend.module.css";

/** Lists the series of a chart with their colors. */
export function Legend({ series }: { series: { name: string; color: string }[] }) {
  return (
    <ul className={classes["legend"]} aria-label="Legend">
      {series.map(({ name, color }) => (
        <li key={color + name}>
          <Swatch color={color} />
          <span title={name}>{name}</span>
        </li>
      ))}
    </ul>
  );
}

/** Shows the color of a series as a small square. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes["swatch"]} style={{ background: color }} aria-hidden />;
}
