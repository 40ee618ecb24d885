-- The sums of the orders of a day in one currency: all (`day`), and of each product, variant, discount and tax.
CREATE TABLE daily_figures (
  day date NOT NULL,
  currency text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  -- The SKU of a variant, the code of a discount, the rate of a tax.
  detail text,
  orders integer NOT NULL,
  units bigint NOT NULL,
  revenue numeric NOT NULL,
  discounts numeric NOT NULL,
  refunded numeric NOT NULL,
  taxes numeric NOT NULL,
  shipping numeric NOT NULL,
  net_revenue numeric NOT NULL,
  -- What a tax was calculated from.
  taxable numeric NOT NULL,
  PRIMARY KEY (kind, currency, day, key)
);
-- For the days that are calculated again.
CREATE INDEX daily_figures_by_day ON daily_figures (day);

-- The time zone that the days are days of; no row before the first report.
CREATE TABLE daily_figures_state (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  timezone text NOT NULL
);

-- Days whose orders have changed since their figures were calculated.
CREATE TABLE daily_figures_pending (
  first_day date NOT NULL,
  last_day date NOT NULL,
  PRIMARY KEY (first_day, last_day)
);
