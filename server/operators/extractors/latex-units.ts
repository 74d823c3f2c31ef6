const prefixes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pico: 'p',
    nano: 'n',
    micro: 'µ',
    milli: 'm',
    centi: 'c',
    deci: 'd',
    kilo: 'k',
    mega: 'M',
    giga: 'G',
    tera: 'T',
    peta: 'P',
    kibi: 'Ki',
    mebi: 'Mi',
    gibi: 'Gi',
    tebi: 'Ti',
  }),
);
const units: ReadonlyMap<string, string> = new Map(
  Object.entries({
    meter: 'm',
    metre: 'm',
    gram: 'g',
    kilogram: 'kg',
    second: 's',
    minute: 'min',
    hour: 'h',
    day: 'd',
    ampere: 'A',
    kelvin: 'K',
    mole: 'mol',
    candela: 'cd',
    celsius: '°C',
    degreeCelsius: '°C',
    degree: '°',
    percent: '%',
    newton: 'N',
    joule: 'J',
    watt: 'W',
    volt: 'V',
    ohm: 'Ω',
    farad: 'F',
    hertz: 'Hz',
    pascal: 'Pa',
    bar: 'bar',
    tesla: 'T',
    coulomb: 'C',
    electronvolt: 'eV',
    liter: 'l',
    litre: 'l',
    tonne: 't',
    decibel: 'dB',
    bit: 'bit',
    byte: 'B',
    angstrom: 'Å',
    lumen: 'lm',
    lux: 'lx',
    squared: '²',
    cubed: '³',
    per: '/',
    radian: 'rad',
    molar: 'M',
  }),
);

/** A siunitx unit in printed form: `\kilo\meter\per\second` is km/s; other text, such as `m/s`, stays. */
export function unitOf(source: string): string {
  return source
    .replaceAll(
      /\\(square|cubic)\s{0,4}((?:\\[a-zA-Z]{1,30}){1,2})/g,
      (_, power: string, unit: string) => `${unit}\\${power === 'square' ? 'squared' : 'cubed'}`,
    )
    .replaceAll(/\\([a-zA-Z]{1,30})\s{0,4}/g, (_, name: string) => prefixes.get(name) ?? `${units.get(name) ?? name} `)
    .replaceAll(/ (?=[/²³])|(?<=\/) /g, '')
    .replaceAll(/[{}]/g, '')
    .replaceAll('~', ' ')
    .trim();
}
