// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import {Base} from "./Base.sol";

/// Sells.
contract Shop is Base {
    uint256 public constant MAX = 10;
    mapping(address => uint256) private balances;
    event Paid(address indexed by, uint256 amount);
    error TooMuch();
    struct Order { uint256 id; address buyer; }
    enum State { Open, Paid }

    constructor(address owner) Base(owner) {}

    modifier onlyOpen() { _; }

    function pay(uint256 amount) external payable onlyOpen returns (bool) {
        uint256 inner = amount;
        return true;
    }
}
interface IShop { function pay(uint256 amount) external; }
library Sums { function add(uint256 a) internal pure returns (uint256) { return a; } }
